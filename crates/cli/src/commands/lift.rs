//! `cairn lift`: bytecode to EVM-IR.

use super::cfg::read_code;
use super::common::{CommandResult, fail, line, plain_options, print};
use crate::args::{Cli, FileArgs};
use crate::report::note;
use cairn_driver::{Session, print_module};

/// Lifts a file and prints the module.
pub(crate) fn lift(cli: &Cli, args: &FileArgs) -> CommandResult {
    let (name, code) = read_code(cli, args)?;
    let mut session = Session::new(plain_options(args));
    let lifted =
        session.lift(&code).map_err(|reason| fail(&format!("{name}: cannot be lifted: {reason}")))?;
    for hazard in lifted.observed.hazards() {
        note(cli, &format!("{name}: {hazard}"));
    }
    print(&line(&print_module(&lifted.module)))
}
