//! `Source` → [`Parsed`]: a text becomes the tree, module, program or bytes that it spells.
//!
//! EVM-IR is verified here, since faults of a text have places in it.

use crate::hex_input::{self, HexInput};
use crate::input::{Input, Language};
use crate::options::Options;
use crate::session::{Session, Stage};
use crate::unknown::{self, unknown};
use cairn_asm::Program;
use cairn_diag::{Diagnostic, FileId};
use cairn_ir::Module;
use cairn_ir::verify::{Form, verify_text};
use cairn_yul::Object;

/// An input among the sources of a session.
#[derive(Clone, Copy, Debug)]
pub struct Source<'i> {
    /// The input.
    pub input: &'i Input,
    /// Its number, which diagnostics name.
    pub file: FileId,
}

impl<'i> Source<'i> {
    /// Adds an input to the sources of a session.
    pub fn load(input: &'i Input, session: &mut Session) -> Self {
        Source { input, file: session.load(input) }
    }
}

/// A parsed input.
#[derive(Debug)]
pub enum Parsed {
    /// Yul, resolved.
    Yul(ParsedYul),
    /// EVM-IR in free form, verified, and the text that its spans are places in.
    EvmIr(Module, FileId),
    /// Assembly.
    Asm(Program),
    /// Bytecode.
    Hex(Bytecode),
}

/// A parsed Yul input.
#[derive(Debug)]
pub struct ParsedYul {
    /// The outermost object, or the one that [`Options::object`] names.
    pub object: Object,
    /// Its names.
    pub names: cairn_yul::NameTable,
    /// The text that its spans are places in.
    pub file: FileId,
}

impl ParsedYul {
    /// The canonical text: the tree with source locations, without other comments.
    pub fn print(&self, options: &Options) -> String {
        let debug = cairn_yul::DebugComments::Print;
        cairn_yul::print_object(&self.object, &self.names, &options.dialect(), debug) + "\n"
    }
}

/// Bytecode, in which addresses of libraries may be open.
#[derive(Debug)]
pub struct Bytecode {
    input: HexInput,
    file: FileId,
}

impl Bytecode {
    /// Reads hexadecimal digits; white space and comments after `;` are skipped.
    ///
    /// # Errors
    /// The text is not hexadecimal.
    pub(crate) fn parse(source: Source<'_>, session: &mut Session) -> Stage<Bytecode> {
        match hex_input::parse(&source.input.text, source.file) {
            Ok(input) => Ok(Bytecode { input, file: source.file }),
            Err(fault) => session.error(*fault),
        }
    }

    /// The bytes of code that is linked.
    ///
    /// # Errors
    /// An address is open; the diagnostic says which.
    pub fn linked(self, session: &mut Session) -> Stage<Vec<u8>> {
        let Some(span) = self.input.first_link else { return Ok(self.input.bytes) };
        let fault = Diagnostic::error(hex_input::UNLINKED);
        session.error(fault.at(self.file, span))
    }

    /// The listing of the code; it assembles to the same bytes.
    pub fn listing(&self, options: &Options) -> String {
        cairn_asm::disassembly(&self.input.bytes, &self.input.links, options.fork)
    }
}

/// Parses a text.
///
/// # Errors
/// The text is faulty, or has no object of the name that the options ask for.
pub fn parse(source: Source<'_>, options: &Options, session: &mut Session) -> Stage<Parsed> {
    match source.input.language {
        Language::Yul => parse_yul(source, options, session).map(Parsed::Yul),
        Language::EvmIr => parse_ir(source, session).map(|module| Parsed::EvmIr(module, source.file)),
        Language::Asm => parse_asm(source, options, session).map(Parsed::Asm),
        Language::Hex => Bytecode::parse(source, session).map(Parsed::Hex),
    }
}

pub(crate) fn parse_yul(source: Source<'_>, options: &Options, session: &mut Session) -> Stage<ParsedYul> {
    let Source { input, file } = source;
    let dialect = options.dialect();
    let parsed = session.timings.time("yul", || cairn_yul::parse(&input.text, file, &dialect));
    let outermost = session.take(parsed.object, parsed.diagnostics)?;
    let object = match &options.object {
        Some(path) => select(outermost, path, session)?,
        None => outermost,
    };
    Ok(ParsedYul { object, names: parsed.names, file })
}

pub(crate) fn parse_ir(source: Source<'_>, session: &mut Session) -> Stage<Module> {
    let Source { input, file } = source;
    let parsed = session.timings.time("ir-parse", || cairn_ir::text::parse(&input.text, file));
    let module = match parsed {
        Ok(module) => module,
        Err(faults) => return session.take(None, faults),
    };
    let faults = session.timings.time("verify", || verify_text(&module, Form::Free, Some(file)));
    session.take(Some(module), faults)
}

pub(crate) fn parse_asm(source: Source<'_>, options: &Options, session: &mut Session) -> Stage<Program> {
    let Source { input, file } = source;
    let parse = || cairn_asm::parse_for(&input.text, file, options.fork);
    match session.timings.time("asm-parse", parse) {
        Ok((program, warnings)) => session.take(Some(program), warnings),
        Err(faults) => session.take(None, faults),
    }
}

fn select(outermost: Object, path: &str, session: &mut Session) -> Stage<Object> {
    let mut known = Vec::new();
    object_paths(&outermost, "", &mut known);
    match find_object(outermost, path) {
        Some(object) => Ok(object),
        None => session.error(unknown("object", path, unknown::OBJECT, &known)),
    }
}

/// Paths of an object and of those nested in it.
fn object_paths(object: &Object, outer: &str, paths: &mut Vec<String>) {
    if object.is_bare {
        return;
    }
    let path = if outer.is_empty() { object.name.to_string() } else { format!("{outer}.{}", object.name) };
    paths.push(path.clone());
    object.objects.iter().for_each(|inner| object_paths(inner, &path, paths));
}

/// The object with this path: its own name, or the path of a nested one.
fn find_object(object: Object, path: &str) -> Option<Object> {
    if *object.name == *path {
        return Some(object);
    }
    let rest =
        path.strip_prefix(&*object.name).and_then(|rest| rest.strip_prefix('.')).unwrap_or(path).to_owned();
    let mut nested = object.objects.into_iter();
    nested.find_map(|inner| {
        let is_on_path =
            rest == *inner.name || rest.strip_prefix(&*inner.name).is_some_and(|r| r.starts_with('.'));
        if is_on_path { find_object(inner, &rest) } else { None }
    })
}
