//! [`StackCode`] → [`Code`]: passes on stack code, bytes, addresses of libraries.

use super::stackify::StackCode;
use crate::excess::Excess;
use crate::limits::warn_of_size;
use crate::options::{Level, Options};
use crate::session::{Session, Stage};
use cairn_asm::{Assembled, Program};

/// Assembled and linked code, and the stack code that it was made from.
#[derive(Clone, Debug)]
pub struct Code {
    /// The stack code, after all passes.
    pub program: Program,
    /// Its bytes and where things are in them.
    pub assembled: Assembled,
    /// Which parts are too large to be deployed.
    pub excess: Vec<Excess>,
}

/// Runs the passes on stack code, which price it as it was priced before.
pub fn clean_up(code: StackCode, options: &Options, session: &mut Session) -> StackCode {
    let level = match options.level {
        Level::O0 => cairn_asm::Level::None,
        Level::O1 => cairn_asm::Level::Quick,
        Level::O2 | Level::O3 | Level::Os => cairn_asm::Level::Full,
    };
    let runs = code.runs.unwrap_or_else(|| options.price_runs());
    let (fork, strict_stack) = (options.fork, options.strict_stack);
    let passes = cairn_asm::PassOptions { fork, runs, level, strict_stack };
    let StackCode { mut program, .. } = code;
    session.timings.time("asm-passes", || cairn_asm::run_passes(&mut program, &passes));
    StackCode { program, ..code }
}

/// Assembles a program; addresses of libraries stay open.
///
/// # Errors
/// A name that stands for nothing.
pub fn assemble(program: &Program, options: &Options, session: &mut Session) -> Stage<Assembled> {
    let own = assemble_options(options);
    let result = session.timings.time("assemble", || cairn_asm::assemble(program, own));
    result.or_else(|faults| session.take(None, faults))
}

/// From cleaned stack code to code: assembles, links, and warns of code that is too large.
///
/// # Errors
/// A name that stands for nothing.
pub fn finish(code: StackCode, options: &Options, session: &mut Session) -> Stage<Code> {
    let StackCode { program, sizes, .. } = code;
    let mut assembled = assemble(&program, options, session)?;
    link(&mut assembled, options);
    let excess = warn_of_size(&assembled, &sizes, options, session);
    Ok(Code { program, assembled, excess })
}

/// Writes the addresses of libraries; the others keep their placeholders.
fn link(assembled: &mut Assembled, options: &Options) {
    let addresses = options
        .libraries
        .iter()
        .map(|(library, address)| cairn_asm::LibraryAddress { library: library.clone(), address: *address });
    let addresses: Vec<_> = addresses.collect();
    let links = std::mem::take(&mut assembled.links);
    assembled.links = cairn_asm::link(&mut assembled.bytes, &links, &addresses);
    assembled.subs.iter_mut().for_each(|sub| link(sub, options));
}

pub(crate) fn assemble_options(options: &Options) -> cairn_asm::AssembleOptions {
    cairn_asm::AssembleOptions { fork: options.fork, separator: options.separator }
}
