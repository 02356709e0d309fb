//! [`Canonical`] → [`StackCode`], at a weaker level where values do not fit on the stack.
//!
//! Where a module has no frame, optimizations can keep more values alive than the stack instructions
//! reach: then the same module is optimized less.

use crate::options::{Level, Options};
use crate::session::{Session, Stage};
use crate::stages::{Canonical, Optimized, StackCode, optimize, require_entries, try_stackify};
use cairn_diag::Diagnostics;
use cairn_ir::Module;

/// Optimizes and stackifies; the stack code, and the module that it was made from.
///
/// # Errors
/// A module has no entry, a pass does not exist, or a value has no place to live.
pub fn fit(canonical: Canonical, options: &Options, session: &mut Session) -> Stage<(Optimized, StackCode)> {
    require_entries(&canonical.module, canonical.origin, session)?;
    fit_at(canonical, options, session)
}

fn fit_at(canonical: Canonical, options: &Options, session: &mut Session) -> Stage<(Optimized, StackCode)> {
    let weaker = weaker_level(options.level).filter(|_| lacks_frame(&canonical.module));
    let kept = weaker.map(|level| (Options { level, ..options.clone() }, canonical.clone()));
    let optimized = optimize(canonical, options, session)?;
    match (try_stackify(&optimized, options, session), kept) {
        (Ok(code), _) => Ok((optimized, code)),
        (Err(faults), Some((options, original))) if is_too_deep(&faults) => {
            fit_at(original, &options, session)
        }
        (Err(faults), _) => session.error_in(optimized.origin.file, faults),
    }
}

/// What keeps fewer values alive.
fn weaker_level(level: Level) -> Option<Level> {
    match level {
        Level::O2 | Level::O3 | Level::Os => Some(Level::O1),
        Level::O1 => Some(Level::O0),
        Level::O0 => None,
    }
}

fn lacks_frame(module: &Module) -> bool {
    !module.memory.has_frames() || module.modules.iter().any(lacks_frame)
}

fn is_too_deep(faults: &Diagnostics) -> bool {
    faults.iter().any(|fault| fault.code == cairn_stackify::STACK_TOO_DEEP)
}
