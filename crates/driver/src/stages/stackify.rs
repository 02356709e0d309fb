//! [`Optimized`] → [`StackCode`]: values get places on the stack or in memory.

use super::lower::{Origin, Places};
use super::optimize::Optimized;
use crate::options::{Level, Options};
use crate::session::{Session, Stage};
use cairn_asm::Program;
use cairn_diag::{Diagnostic, Diagnostics};
use cairn_ir::Module;
use cairn_stackify::stages::FuncStages;
use cairn_stackify::{Effort, FuncSize, Mode};

/// Stack code, and what is known of how it was made.
#[derive(Clone, Debug, Default)]
pub struct StackCode {
    /// The program.
    pub program: Program,
    /// With [`Options::explain`]: where each value is kept and why.
    pub explanation: String,
    /// With [`Options::explain`]: what the stackifier decided, stage by stage.
    pub stages: Vec<FuncStages>,
    /// Numbers about the code; assembly has none.
    pub stats: Option<StackStats>,
    /// About how large each function is.
    pub sizes: Vec<FuncSize>,
    /// Executions that it was priced for, if not those of the options.
    pub runs: Option<u64>,
}

/// Numbers about stack code.
#[derive(Clone, Copy, Debug)]
pub struct StackStats {
    /// Counts.
    pub counts: cairn_stackify::Stats,
    /// With [`Options::measure_stack`]: gas of stack operations and its lower bound.
    pub gas: cairn_stackify::StackGas,
}

impl From<Program> for StackCode {
    /// A program that somebody wrote.
    fn from(program: Program) -> StackCode {
        StackCode { program, ..StackCode::default() }
    }
}

/// Turns a module into stack code.
///
/// # Errors
/// A module has no entry, or a value has no place to live.
pub fn stackify(optimized: &Optimized, options: &Options, session: &mut Session) -> Stage<StackCode> {
    require_entries(&optimized.module, optimized.origin, session)?;
    try_stackify(optimized, options, session)
        .or_else(|faults| session.error_in(optimized.origin.file, faults))
}

/// As [`stackify`] of a module that has its entries; faults are given back, not reported.
pub(crate) fn try_stackify(
    optimized: &Optimized,
    options: &Options,
    session: &mut Session,
) -> Result<StackCode, Diagnostics> {
    let stackifier = cairn_stackify::Options {
        fork: options.fork,
        mode: if options.spec { Mode::Spec } else { Mode::Global },
        runs: options.price_runs(),
        // A few percent of the time, and no code leaves that does not do what the IR says.
        verify: true,
        placement: options.placement,
        calls: options.calls,
        source_frames: options.source_frames,
        strict_stack: options.strict_stack,
        threads: options.threads,
        effort: match options.level {
            Level::O1 => Effort::QUICK,
            Level::O0 | Level::O2 | Level::Os => Effort::FULL,
            Level::O3 => Effort::THOROUGH,
        },
        explain: options.explain || options.remarks,
        source_names: optimized.origin.places == Places::Kept,
        measure: options.measure_stack,
    };
    let module = &optimized.module;
    let made = session.timings.time("stackify", || cairn_stackify::stackify(module, &stackifier))?;
    if options.remarks {
        for spill in &made.spills {
            session.add_remark(format!("stackify: `@{}`: {}", spill.func, spill.text));
        }
    }
    let stats = StackStats { counts: made.stats, gas: made.stack_gas };
    Ok(StackCode {
        runs: Some(options.price_runs()),
        program: made.program,
        explanation: made.explanation,
        stages: made.stages,
        stats: Some(stats),
        sizes: made.sizes,
    })
}

/// Code needs a place where execution begins.
pub(crate) fn require_entries(module: &Module, origin: Origin, session: &mut Session) -> Stage<()> {
    let Some(fragment) = find_fragment(module) else { return Ok(()) };
    let fault =
        Diagnostic::error(lacks_entry(fragment)).with_help("code runs from there, with an empty stack");
    session.error(at_head(fragment, origin, fault))
}

/// Warns of a module without an entry, which may be meant as a library of functions.
pub(crate) fn warn_of_fragment(module: &Module, origin: Origin, session: &mut Session) {
    if let Some(fragment) = find_fragment(module) {
        let warning = Diagnostic::warning(format!("{}: it cannot be built", lacks_entry(fragment)));
        session.diagnostics.push(at_head(fragment, origin, warning));
    }
}

/// A module with functions but without an entry, which has no place where execution begins.
fn find_fragment(module: &Module) -> Option<&Module> {
    if module.entry.is_none() && !module.funcs.is_empty() {
        return Some(module);
    }
    module.modules.iter().find_map(find_fragment)
}

fn lacks_entry(module: &Module) -> String {
    format!("module `@{}` has no entry function `@__entry`", module.name)
}

/// A diagnostic placed at the head of a module.
fn at_head(module: &Module, origin: Origin, diagnostic: Diagnostic) -> Diagnostic {
    match (module.span, origin.file) {
        (Some(span), Some(file)) => diagnostic.at(file, span),
        _ => diagnostic,
    }
}
