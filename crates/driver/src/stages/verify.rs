//! Verification of what a stage of ours left.

use crate::options::Options;
use crate::session::{Failure, Session, Stage};
use cairn_ir::Module;
use cairn_ir::verify::{Form, verify};

/// Verifies what `stage` left, when the options ask for it. A fault is one of ours.
pub(crate) fn verify_own(
    module: &Module,
    form: Form,
    stage: &str,
    options: &Options,
    session: &mut Session,
) -> Stage<()> {
    if !options.verify {
        return Ok(());
    }
    let faults = session.timings.time("verify", || verify(module, form));
    match faults.iter().next() {
        Some(fault) => Err(Failure::Bug(format!("{stage} left faulty EVM-IR: {}", fault.message))),
        None => Ok(()),
    }
}
