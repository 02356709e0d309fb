//! `cairn lift`: bytecode to EVM-IR or Yul.

use super::cfg::read_code;
use super::common::{CommandResult, fail, line, plain_options, print};
use super::dataset;
use crate::args::{Cli, LiftArgs, LiftForm};
use crate::interface::Interface;
use crate::report::note;
use cairn_driver::{Session, print_module};

/// Lifts a file and prints it.
pub(crate) fn lift(cli: &Cli, args: &LiftArgs) -> CommandResult {
    if let Some(folder) = &args.dataset.folder {
        return dataset::lift(cli, args, folder);
    }
    let (name, code) = read_code(cli, &args.input)?;
    let options = plain_options(&args.input);
    let mut session = Session::default();
    let cannot = |reason: String| fail(&format!("{name}: cannot be lifted: {reason}"));
    let (text, observed) = match args.emit {
        LiftForm::Eir => {
            let lifted =
                cairn_driver::lift(&code, args.role.role(), &options, &mut session).map_err(cannot)?;
            (print_module(&lifted.module), lifted.observed)
        }
        LiftForm::Yul => {
            let signatures =
                Interface::signatures(args.signatures.as_deref()).map_err(|error| fail(&error))?;
            let raised =
                cairn_driver::lift_to_yul(&code, args.role.role(), &signatures, &options, &mut session)
                    .map_err(cannot)?;
            (raised.text, raised.observed)
        }
    };
    for hazard in observed.hazards() {
        note(cli, &format!("{name}: {hazard}"));
    }
    print(&line(&text))
}
