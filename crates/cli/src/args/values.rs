//! Values that arguments may have: parsers that help and completions know the values of.

use crate::output::Sink;
use cairn_driver::{Emit, Level};
use cairn_evm::Fork;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::ffi::OsStr;
use std::path::Path;

/// A fork by its name.
pub(crate) fn fork() -> impl TypedValueParser<Value = Fork> {
    PossibleValuesParser::new(Fork::ALL.map(Fork::name)).try_map(|name| name.parse::<Fork>())
}

/// An optimization level.
pub(crate) fn level() -> impl TypedValueParser<Value = Level> {
    PossibleValuesParser::new(Level::ALL.map(Level::name)).try_map(|name| name.parse::<Level>())
}

/// The name of an optimizer pass.
pub(crate) fn pass() -> PossibleValuesParser {
    PossibleValuesParser::new(cairn_driver::pass_names())
}

/// The name of a pass on stack code.
pub(crate) fn asm_pass() -> PossibleValuesParser {
    PossibleValuesParser::new(cairn_driver::asm_pass_names())
}

/// An artifact and where it goes.
pub(crate) type Wanted = (Emit, Sink);

/// `KIND` or `KIND=PATH`.
pub(crate) fn emit() -> impl TypedValueParser<Value = Wanted> {
    EmitParser
}

#[derive(Clone)]
struct EmitParser;

impl EmitParser {
    fn kinds() -> PossibleValuesParser {
        PossibleValuesParser::new(Emit::ALL.map(Emit::name))
    }
}

impl TypedValueParser for EmitParser {
    type Value = Wanted;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Wanted, clap::Error> {
        let text = value.to_string_lossy();
        let (kind, sink) = match text.split_once('=') {
            Some((kind, path)) => (kind, Sink::of_path(Path::new(path))),
            None => (&*text, Sink::Stdout),
        };
        let kinds = EmitParser::kinds().try_map(|name| name.parse::<Emit>());
        Ok((kinds.parse_ref(command, argument, OsStr::new(kind))?, sink))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Emit::ALL.into_iter().map(|kind| PossibleValue::new(kind.name()))))
    }
}
