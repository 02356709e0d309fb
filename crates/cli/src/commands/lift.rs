//! `cairn lift`: bytecode to EVM-IR, Yul or a listing.

use super::cfg::read_code;
use super::common::{CommandResult, fail, line, plain_options, print, usage};
use super::dataset;
use crate::args::{Cli, LiftArgs, LiftForm};
use crate::interface::Interface;
use crate::report::note;
use cairn_driver::{Names, Session, print_module};

/// Lifts a file and prints it.
pub(crate) fn lift(cli: &Cli, args: &LiftArgs) -> CommandResult {
    if args.signatures.is_some() && (args.dataset.folder.is_some() || args.emit == LiftForm::Eir) {
        return Err(usage(
            "`--signatures` names functions in what people read: it goes with `--emit yul` and `--emit listing`",
        ));
    }
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
        LiftForm::Listing => {
            let signatures =
                Interface::signatures(args.signatures.as_deref()).map_err(|error| fail(&error))?;
            let topics = Interface::topics(args.signatures.as_deref()).map_err(|error| fail(&error))?;
            let names = Names { signatures, topics };
            let code = (name.as_str(), code.as_slice());
            let text = cairn_driver::list_code(code, args.role.role(), &names, &options, &mut session);
            return print(&line(&text));
        }
    };
    for hazard in observed.hazards() {
        note(cli, &format!("{name}: {hazard}"));
    }
    print(&line(&text))
}
