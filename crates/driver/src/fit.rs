//! [`Canonical`] → [`StackCode`]: in the order of passes that gives the least code, with less inlining or at a
//! weaker level where values do not fit on the stack.
//!
//! Where a module has no frame, optimizations can keep more values alive than the stack instructions
//! reach: then the same module is optimized less.
//!
//! Whether one more round of inlining makes a program smaller is seen in its code alone, and so is whether what
//! saves bytes in one place costs more in others: `-Os` makes the code in its own way and in the order of `-O2`
//! for one execution, for [`SOME_RUNS`], and as `-O2` does, and keeps the smallest.

use crate::options::{Level, Options};
use crate::session::{Session, Stage};
use crate::stages::{
    Canonical, Optimized, StackCode, assemble, clean_up, optimize, require_entries, try_stackify,
};
use cairn_diag::Diagnostics;
use cairn_ir::Module;

/// Live values by which inlining is kept back more with each try.
const LESS_LIVE: u32 = 4;

/// Executions for which code is made that may be smaller than that for one.
const SOME_RUNS: u64 = 20;

/// Optimizes and stackifies; the stack code, and the module that it was made from.
///
/// # Errors
/// A module has no entry, a pass does not exist, or a value has no place to live.
pub fn fit(canonical: Canonical, options: &Options, session: &mut Session) -> Stage<(Optimized, StackCode)> {
    require_entries(&canonical.module, canonical.origin, session)?;
    let others = other_ways(options);
    if others.is_empty() {
        return fit_at(canonical, options, session);
    }
    let mut best = Trial::run(canonical.clone(), options);
    for other in others {
        let trial = Trial::run(canonical.clone(), &other);
        let (better, rest) = if trial.size < best.size { (trial, best) } else { (best, trial) };
        session.timings.add_all(&rest.session.timings);
        best = better;
    }
    session.absorb(best.session);
    best.made
}

/// Ways to make the code that can give less of it: in another order of passes, for so many executions.
fn other_ways(options: &Options) -> Vec<Options> {
    let is_free = options.passes.is_none() && options.fuel.is_none();
    if options.level != Level::Os || !is_free {
        return Vec::new();
    }
    let runs = [options.price_runs(), SOME_RUNS, options.runs];
    runs.map(|runs| Options { level: Level::O2, runs, ..options.clone() }).into()
}

/// A program made in one way.
struct Trial {
    made: Stage<(Optimized, StackCode)>,
    /// Bytes of the code; of what is none, more than any.
    size: usize,
    session: Session,
}

impl Trial {
    fn run(canonical: Canonical, options: &Options) -> Trial {
        let mut session = Session::default();
        let made = fit_at(canonical, options, &mut session);
        let size = made.as_ref().ok().and_then(|(_, code)| size_of(code, options));
        Trial { made, size: size.unwrap_or(usize::MAX), session }
    }
}

/// Bytes of code behind all passes.
fn size_of(code: &StackCode, options: &Options) -> Option<usize> {
    let mut session = Session::default();
    let cleaned = clean_up(code.clone(), options, &mut session);
    assemble(&cleaned.program, options, &mut session).ok().map(|assembled| assembled.bytes.len())
}

fn fit_at(canonical: Canonical, options: &Options, session: &mut Session) -> Stage<(Optimized, StackCode)> {
    let weaker = weaker(options).filter(|_| lacks_frame(&canonical.module));
    let kept = weaker.map(|options| (options, canonical.clone()));
    let optimized = optimize(canonical, options, session)?;
    match (try_stackify(&optimized, options, session), kept) {
        (Ok(code), _) => Ok((optimized, code)),
        (Err(faults), Some((options, original))) if is_too_deep(&faults) => {
            fit_at(original, &options, session)
        }
        (Err(faults), _) => session.error_in(optimized.origin.file, faults),
    }
}

/// What keeps fewer values alive: less inlining, then fewer passes.
fn weaker(options: &Options) -> Option<Options> {
    let level = match options.level {
        Level::O2 | Level::O3 | Level::Os => Level::O1,
        Level::O1 => Level::O0,
        Level::O0 => return None,
    };
    let max_live = options.max_live.saturating_sub(LESS_LIVE);
    Some(match level {
        Level::O1 if max_live > 0 => Options { max_live, ..options.clone() },
        _ => Options { level, max_live: cairn_opt::MAX_LIVE, ..options.clone() },
    })
}

fn lacks_frame(module: &Module) -> bool {
    !module.memory.has_frames() || module.modules.iter().any(lacks_frame)
}

fn is_too_deep(faults: &Diagnostics) -> bool {
    faults.iter().any(|fault| fault.code == cairn_stackify::STACK_TOO_DEEP)
}
