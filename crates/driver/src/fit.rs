//! [`Canonical`] → [`StackCode`]: in the order of passes that gives the least code, and in other ways where values
//! do not fit on the stack.
//!
//! Where a module has no frame, more values can be alive than the stack instructions reach: then the same
//! module is optimized less, or more, until they fit.
//!
//! Whether one more round of inlining makes a program smaller is seen in its code alone, and so is whether what
//! saves bytes in one place costs more in others: `-Os` makes the code in its own way and in the order of `-O2`
//! for one execution, for [`SOME_RUNS`], and as `-O2` does, with passes on stack code that price it for as many or for
//! one, and keeps the smallest.

use crate::options::{Level, Options};
use crate::session::{Session, Stage};
use crate::stages::{
    Canonical, Optimized, StackCode, assemble, clean_up, optimize, require_entries, try_stackify,
};
use cairn_diag::Diagnostics;
use cairn_ir::Module;
use cairn_stackify::Calls;

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
        let mut made = fit_at(canonical, options, &mut session);
        let mut size = usize::MAX;
        if let Ok((_, code)) = &mut made {
            (size, code.runs) = [options.price_runs(), 1]
                .into_iter()
                .filter_map(|runs| Some((size_of(code, runs, options)?, Some(runs))))
                .min()
                .unwrap_or((usize::MAX, code.runs));
        }
        Trial { made, size, session }
    }
}

/// Bytes of code behind all passes, which price it for so many executions.
fn size_of(code: &StackCode, runs: u64, options: &Options) -> Option<usize> {
    let mut session = Session::default();
    let cleaned = clean_up(StackCode { runs: Some(runs), ..code.clone() }, options, &mut session);
    assemble(&cleaned.program, options, &mut session).ok().map(|assembled| assembled.bytes.len())
}

fn fit_at(canonical: Canonical, options: &Options, session: &mut Session) -> Stage<(Optimized, StackCode)> {
    let kept = lacks_frame(&canonical.module).then(|| canonical.clone());
    let optimized = optimize(canonical, options, session)?;
    let faults = match try_stackify(&optimized, options, session) {
        Ok(code) => return Ok((optimized, code)),
        Err(faults) => faults,
    };
    if let Some(original) = kept.filter(|_| is_too_deep(&faults)) {
        for other in further_ways(options) {
            let optimized = optimize(original.clone(), &other, session)?;
            if let Ok(code) = try_stackify(&optimized, &other, session) {
                return Ok((optimized, code));
            }
        }
    }
    session.error_in(optimized.origin.file, faults)
}

/// Ways to make code whose values did not fit, in the order in which they are tried.
///
/// Less inlining and fewer passes keep fewer values alive. More passes drop arguments that nobody needs, and
/// unoptimized code for debuggers passes its arguments in an order that costs room. At last all that is called
/// once becomes a part of its caller: words that a function was given are then made anew where they come from call
/// data.
fn further_ways(options: &Options) -> Vec<Options> {
    let way = |level, max_live| Options { level, max_live, calls: Calls::Cheapest, ..options.clone() };
    let usual = cairn_opt::MAX_LIVE;
    let mut ways = Vec::new();
    if options.level != Level::O0 {
        let less = (1..).map(|times| options.max_live.saturating_sub(times * LESS_LIVE));
        ways.extend(less.take_while(|max_live| *max_live > 0).map(|max_live| way(options.level, max_live)));
    }
    let levels: &[Level] = match options.level {
        Level::O2 | Level::O3 | Level::Os => &[Level::O1, Level::O0],
        Level::O1 => &[Level::O2, Level::O0],
        Level::O0 => &[Level::O0, Level::O1, Level::O2],
    };
    ways.extend(levels.iter().map(|level| way(*level, usual)));
    ways.push(way(Level::O2, u32::MAX));
    ways
}

fn lacks_frame(module: &Module) -> bool {
    !module.memory.has_frames() || module.modules.iter().any(lacks_frame)
}

fn is_too_deep(faults: &Diagnostics) -> bool {
    faults.iter().any(|fault| fault.code == cairn_stackify::STACK_TOO_DEEP)
}
