//! `cairn lift`: bytecode to EVM-IR.

use super::cfg::read_code;
use super::common::{CommandResult, fail, line, plain_options, print};
use super::dataset;
use crate::args::{Cli, LiftArgs};
use crate::report::note;
use cairn_driver::{Session, print_module};

/// Lifts a file and prints the module.
pub(crate) fn lift(cli: &Cli, args: &LiftArgs) -> CommandResult {
    if let Some(folder) = &args.dataset.folder {
        return dataset::lift(cli, args, folder);
    }
    let (name, code) = read_code(cli, &args.input)?;
    let options = plain_options(&args.input);
    let mut session = Session::default();
    let lifted = cairn_driver::lift(&code, args.role.role(), &options, &mut session)
        .map_err(|reason| fail(&format!("{name}: cannot be lifted: {reason}")))?;
    for hazard in lifted.observed.hazards() {
        note(cli, &format!("{name}: {hazard}"));
    }
    print(&line(&print_module(&lifted.module)))
}
