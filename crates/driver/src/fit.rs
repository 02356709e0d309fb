//! [`Canonical`] → [`StackCode`], with less inlining or at a weaker level where values do not fit on the stack.
//!
//! Where a module has no frame, optimizations can keep more values alive than the stack instructions
//! reach: then the same module is optimized less.

use crate::options::{Level, Options};
use crate::session::{Session, Stage};
use crate::stages::{Canonical, Optimized, StackCode, optimize, require_entries, try_stackify};
use cairn_diag::Diagnostics;
use cairn_ir::Module;

/// Live values by which inlining is kept back more with each try.
const LESS_LIVE: u32 = 4;

/// Optimizes and stackifies; the stack code, and the module that it was made from.
///
/// # Errors
/// A module has no entry, a pass does not exist, or a value has no place to live.
pub fn fit(canonical: Canonical, options: &Options, session: &mut Session) -> Stage<(Optimized, StackCode)> {
    require_entries(&canonical.module, canonical.origin, session)?;
    fit_at(canonical, options, session)
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
