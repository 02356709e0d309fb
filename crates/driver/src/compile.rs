//! Programs to code, or part of the way.

use crate::fit::fit;
use crate::input::Input;
use crate::late::with_places;
use crate::options::Options;
use crate::session::{Session, Stage};
use crate::stages::{
    Canonical, Code, Free, Parsed, Source, StackCode, assemble_options, clean_up, finish, legalize, lower,
    parse,
};
use crate::unknown::check_libraries;
use cairn_asm::{Assembled, Item, ItemKind, Program};
use cairn_ir::Module;
use std::collections::BTreeSet;

/// Compiles Yul, EVM-IR or assembly.
///
/// # Errors
/// The input is faulty, or bytecode (diagnostics say how), or Cairn is.
pub fn compile(input: &Input, options: &Options, session: &mut Session) -> Stage<Code> {
    let code = match parse(Source::load(input, session), options, session)? {
        Parsed::Asm(program) => written(program, options, session)?,
        parsed => with_places(parsed, input, options, session, |free, session| {
            Ok(fit(legalize(free, options, session)?, options, session)?.1)
        })?,
    };
    let code = clean_up(code, options, session);
    finish(code, options, session)
}

/// Compiles a module that was made by the builders of `cairn-ir`.
///
/// # Errors
/// The module is not valid EVM-IR (diagnostics say why), or Cairn is faulty.
pub fn compile_module(module: Module, options: &Options, session: &mut Session) -> Stage<Code> {
    let free = Free::verified(module, session)?;
    let (_, code) = fit(legalize(free, options, session)?, options, session)?;
    let code = clean_up(code, options, session);
    finish(code, options, session)
}

/// Compiles an object to stack code; its sub-objects are what the text has in their place.
/// Libraries stay unlinked.
///
/// Programs that hold the same objects many times compile each once: code of an object depends on its
/// own text only, and what it embeds matters when it is assembled ([`assemble_object`]). So an object is
/// compiled from a text in which the nested objects are stubs of the same names.
///
/// # Errors
/// The input is faulty (diagnostics say how), or Cairn is.
pub fn compile_object(input: &Input, options: &Options, session: &mut Session) -> Stage<Program> {
    let parsed = parse(Source::load(input, session), options, session)?;
    with_places(parsed, input, options, session, |free, session| {
        let (_, code) = fit(legalize(free, options, session)?, options, session)?;
        Ok(clean_up(code, options, session).program)
    })
}

/// Assembles the code of an object onto its sub-objects, which are assembled already.
///
/// # Errors
/// A name that stands for nothing.
pub fn assemble_object(
    program: &Program,
    subs: Vec<Assembled>,
    options: &Options,
    session: &mut Session,
) -> Stage<Assembled> {
    let own = assemble_options(options);
    let result = session.timings.time("assemble", || cairn_asm::assemble_onto(program, subs, own));
    result.or_else(|faults| session.take(None, faults))
}

/// Parses a program and lowers it to EVM-IR in free form.
///
/// # Errors
/// The input is faulty, or not in a language that becomes EVM-IR.
pub fn free(input: &Input, options: &Options, session: &mut Session) -> Stage<Free> {
    let parsed = parse(Source::load(input, session), options, session)?;
    lower(parsed, options, session)
}

/// Parses a program and brings it into canonical form.
///
/// # Errors
/// The input is faulty, or Cairn is.
pub fn canonical(input: &Input, options: &Options, session: &mut Session) -> Stage<Canonical> {
    let parsed = parse(Source::load(input, session), options, session)?;
    with_places(parsed, input, options, session, |free, session| legalize(free, options, session))
}

/// Stack code that somebody wrote, whose libraries are those of the options.
///
/// # Errors
/// An option names a library that the program does not link.
pub(crate) fn written(program: Program, options: &Options, session: &mut Session) -> Stage<StackCode> {
    check_libraries(&libraries_of(&program), options, session)?;
    Ok(StackCode::from(program))
}

/// Names of the libraries that a program links.
fn libraries_of(program: &Program) -> BTreeSet<String> {
    let name = |item: &Item| match item.kind {
        ItemKind::PushLibrary(name) => program.names.get(name.0 as usize).cloned(),
        _ => None,
    };
    let own = program.items.iter().filter_map(name);
    own.chain(program.subs.iter().flat_map(libraries_of)).collect()
}
