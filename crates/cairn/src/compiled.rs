//! What a compilation gives: code as bytes, and where things are in them.

use crate::diagnostic::Diagnostic;
use cairn_asm::{Assembled, ImmutableReference, LinkReference, Program};

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Compiled {
    code: cairn_driver::Code,
    warnings: Vec<Diagnostic>,
}

impl Compiled {
    pub(crate) fn new(code: cairn_driver::Code, warnings: Vec<Diagnostic>) -> Compiled {
        Compiled { code, warnings }
    }

    /// The code of the outermost object: creation code, where it has nested objects.
    pub fn creation(&self) -> Code<'_> {
        Code { program: &self.code.program, assembled: &self.code.assembled }
    }

    /// The code that is deployed: the first nested object. `None` if nothing is nested.
    pub fn runtime(&self) -> Option<Code<'_>> {
        self.creation().objects().next()
    }

    /// What is probably not meant, such as code that is too large for the chain.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }
}

/// The code of one object.
///
/// ```
/// use cairn::{Options, Source, compile};
///
/// let text = "object \"a\" { code { stop() } object \"b\" { code { invalid() } } data \"d\" \"xyz\" }";
/// let compiled = compile(&Source::yul("a.yul", text), &Options::default())?;
/// let code = compiled.creation();
/// assert_eq!((code.name(), code.bytes()), ("a", [0].as_slice()));
/// assert_eq!(code.objects().map(|object| object.bytes().to_vec()).collect::<Vec<_>>(), [[0xfe]]);
/// assert!(code.assembly().contains("STOP"));
/// # Ok::<(), cairn::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Code<'a> {
    program: &'a Program,
    assembled: &'a Assembled,
}

impl<'a> Code<'a> {
    /// Name of the object.
    pub fn name(self) -> &'a str {
        &self.assembled.name
    }

    /// Code, nested objects and data. Addresses of open libraries and immutables are zeros.
    pub fn bytes(self) -> &'a [u8] {
        &self.assembled.bytes
    }

    /// Where addresses of libraries belong that are still open, in all of the bytes, in order.
    pub fn links(self) -> &'a [LinkReference] {
        &self.assembled.links
    }

    /// Where values of immutables belong, in this object's own code, in order.
    pub fn immutables(self) -> &'a [ImmutableReference] {
        &self.assembled.immutables
    }

    /// The nested objects, whether or not they lie in the bytes, in order.
    pub fn objects(self) -> impl Iterator<Item = Code<'a>> {
        let pairs = self.program.subs.iter().zip(&self.assembled.subs);
        pairs.map(|(program, assembled)| Code { program, assembled })
    }

    /// The source map of this object's own code, in solc's format.
    pub fn source_map(self) -> String {
        cairn_asm::source_map(self.program, self.assembled)
    }

    /// Assembly text of this object and the nested ones.
    pub fn assembly(self) -> String {
        cairn_asm::print(self.program)
    }
}
