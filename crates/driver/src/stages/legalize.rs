//! [`Free`] → [`Canonical`]: what front ends write becomes what the fork has.

use super::lower::{Free, Origin};
use super::verify::verify_own;
use crate::options::{Level, Options};
use crate::session::{Session, Stage};
use cairn_ir::Module;
use cairn_ir::verify::Form;
use cairn_legalize::{Report, SwitchShape};

/// EVM-IR in canonical form.
#[derive(Clone, Debug)]
pub struct Canonical {
    /// The module.
    pub module: Module,
    /// What was rewritten.
    pub report: Report,
    /// Where it comes from.
    pub origin: Origin,
}

/// Brings a module into canonical form.
///
/// # Errors
/// The module has something that the fork or the options do not allow.
pub fn legalize(free: Free, options: &Options, session: &mut Session) -> Stage<Canonical> {
    let Free { mut module, origin } = free;
    let report = legalize_module(&mut module, origin, options, session)?;
    Ok(Canonical { module, report, origin })
}

/// As [`legalize`], in place.
pub(super) fn legalize_module(
    module: &mut Module,
    origin: Origin,
    options: &Options,
    session: &mut Session,
) -> Stage<Report> {
    let legalizer = cairn_legalize::Options {
        fork: options.fork,
        recover: options.recover,
        switch: match (options.switch, options.level) {
            // For debuggers: a way through the code for each test.
            (SwitchShape::Cost, Level::O0) => SwitchShape::Tree,
            (shape, _) => shape,
        },
        runs: options.runs,
        validate: false,
        explain: options.explain,
        ..cairn_legalize::Options::default()
    };
    let result = session.timings.time("legalize", || cairn_legalize::legalize(module, &legalizer));
    match result {
        Ok(mut report) => {
            session.extend_in(origin.file, std::mem::take(&mut report.warnings));
            verify_own(module, Form::Canonical, "the legalizer", options, session)?;
            Ok(report)
        }
        Err(faults) => session.error_in(origin.file, faults),
    }
}
