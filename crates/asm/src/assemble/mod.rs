//! Programs to bytes.
//!
//! Layout of an object: its code, then the sub-objects and data segments whose offset something
//! asks for (each distinct content once), then the segment [`METADATA`]. Sub-objects are assembled
//! first, their bytes don't depend on the place. When anything follows the code, [`Separator`] says
//! what goes between; a program with nothing behind it is left as it is, so producers end their
//! code themselves if something may be appended at deployment.
//!
//! Unlinked library addresses and immutables are zero bytes; where they are is in the result.

mod emit;
mod immutables;
mod lower;
mod push;
mod region;

use crate::link::LinkReference;
use crate::program::Program;
use cairn_diag::{Diagnostic, Diagnostics};
use cairn_evm::Fork;

/// Name of the data segment that is kept and laid last even if nothing refers to it.
pub const METADATA: &str = ".metadata";

/// Objects nested deeper than this are refused.
pub const MAX_NESTING: usize = 256;

/// The largest code that is assembled, in bytes.
pub(crate) const MAX_CODE_SIZE: usize = 1 << 30;

/// How to assemble.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssembleOptions {
    /// Decides whether `PUSH0` exists.
    pub fork: Fork,
    /// What stands between code and what lies behind it.
    pub separator: Separator,
}

/// What stands between the code of an object and the sub-objects and data behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Separator {
    /// A `STOP` where control could fall off the end of the code, nothing elsewhere.
    #[default]
    Stop,
    /// As [`Separator::Stop`], and an `INVALID` in any case: solc writes one, and debuggers that
    /// decode code from its start take it for the end.
    Invalid,
}

/// A place in code that is patched with the value of an immutable at deployment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImmutableReference {
    /// The immutable.
    pub name: String,
    /// Position of the first of its bytes.
    pub offset: usize,
    /// How many bytes there are, from 1 to 32: the low ones of the value belong there.
    pub length: u8,
}

/// A sub-object or data segment that lies in the code of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Name or path.
    pub name: String,
    /// Position of the first byte.
    pub offset: usize,
    /// Number of bytes.
    pub size: usize,
}

/// The bytes of an object and where things are in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    /// Name of the object.
    pub name: String,
    /// Code, sub-objects and data.
    pub bytes: Vec<u8>,
    /// Size of the code alone.
    pub code_size: usize,
    /// Position of each item, and at the end the position after the last.
    pub item_offsets: Vec<usize>,
    /// Position of each label that an item defines.
    pub labels: Vec<Option<usize>>,
    /// Placeholders of immutables in this object's own code, in order.
    pub immutables: Vec<ImmutableReference>,
    /// Placeholders of libraries in all of `bytes`, in order.
    pub links: Vec<LinkReference>,
    /// What lies behind the code. Segments of equal content share their place.
    pub segments: Vec<Segment>,
    /// The sub-objects in order; [`Assembled::segments`] says where they lie, if they do.
    pub subs: Vec<Assembled>,
}

impl Assembled {
    /// The code that is deployed: the first sub-object.
    pub fn runtime(&self) -> Option<&Assembled> {
        self.subs.first()
    }

    /// The sub-object with this path (`.` between the names).
    pub fn sub(&self, path: &str) -> Option<&Assembled> {
        let direct = self.subs.iter().find(|sub| sub.name == path);
        direct.or_else(|| {
            path.match_indices('.').find_map(|(dot, _)| {
                let first = self.subs.iter().find(|sub| sub.name == path[..dot]);
                first.and_then(|sub| sub.sub(&path[dot + 1..]))
            })
        })
    }

    /// Position of the segment with this name or path.
    pub fn segment(&self, name: &str) -> Option<&Segment> {
        self.segments.iter().find(|segment| segment.name == name)
    }
}

/// Assembles `program` and its sub-objects.
///
/// # Errors
/// All uses of names and labels that nothing defines, labels defined twice, items that can't be
/// encoded, and the limits [`MAX_NESTING`] and [`MAX_CODE_SIZE`].
///
/// ```
/// use cairn_asm::{AssembleOptions, ItemKind, Program, assemble};
/// use cairn_evm::{Opcode, Word};
///
/// let mut program = Program::new("main");
/// let start = program.new_label();
/// program.push_item(ItemKind::Push(Word::from(1)));
/// program.push_item(ItemKind::Label(start));
/// program.push_item(ItemKind::PushLabel(start));
/// program.push_item(ItemKind::Op(Opcode::JUMP));
/// let assembled = assemble(&program, AssembleOptions::default()).expect("all labels are defined");
/// assert_eq!(assembled.bytes, [0x60, 1, 0x5b, 0x60, 2, 0x56]);
/// ```
pub fn assemble(program: &Program, options: AssembleOptions) -> Result<Assembled, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let assembled = assemble_object(program, options, MAX_NESTING, &mut diagnostics);
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(assembled) }
}

/// Assembles `program` onto sub-objects that are assembled already; its own are not looked at, but
/// for data that a path through one of them names.
///
/// # Errors
/// As for [`assemble`].
pub fn assemble_onto(
    program: &Program,
    subs: Vec<Assembled>,
    options: AssembleOptions,
) -> Result<Assembled, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let assembled = assemble_code(program, subs, options, &mut diagnostics);
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(assembled) }
}

/// An object in messages.
fn shown_name(program: &Program) -> String {
    if program.name.is_empty() { "the object".to_owned() } else { format!("`{}`", program.name) }
}

fn assemble_object(
    program: &Program,
    options: AssembleOptions,
    depth_left: usize,
    diagnostics: &mut Diagnostics,
) -> Assembled {
    if depth_left == 0 {
        let message = format!("objects are nested more than {MAX_NESTING} deep");
        diagnostics.push(Diagnostic::error(message));
        return Assembled::default();
    }
    let assemble_sub = |sub: &Program| assemble_object(sub, options, depth_left - 1, diagnostics);
    let subs: Vec<Assembled> = program.subs.iter().map(assemble_sub).collect();
    if diagnostics.has_errors() {
        return Assembled::default();
    }
    assemble_code(program, subs, options, diagnostics)
}

fn assemble_code(
    program: &Program,
    subs: Vec<Assembled>,
    options: AssembleOptions,
    diagnostics: &mut Diagnostics,
) -> Assembled {
    let region = region::Region::collect(program, &subs, diagnostics);
    let Some(code) = lower::lower(program, &subs, &region, options, diagnostics) else {
        return Assembled::default();
    };
    let assembled = emit::emit(program, &region, &code);
    Assembled { subs, ..assembled }
}
