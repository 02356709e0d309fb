//! `cairn fmt`: prints an input in its canonical formatting.

use super::common::{CommandResult, finish, plain_options, print, read, usage, written};
use crate::Outcome;
use crate::args::{Cli, FmtArgs};
use crate::output;
use cairn_driver::Session;

/// Formats a file.
pub(crate) fn fmt(cli: &Cli, args: &FmtArgs) -> CommandResult {
    if args.in_place && args.input.file.as_os_str() == "-" {
        return Err(usage("`--in-place` needs a file, not standard input"));
    }
    let input = read(&args.input.file)?;
    let mut session = Session::new(plain_options(&args.input));
    let result = session.format(&input);
    let formatted = finish(cli, &session, result)?;
    if args.check {
        return Ok(if formatted == input.text { Outcome::Success } else { Outcome::Failure });
    }
    if !args.in_place {
        return print(&formatted);
    }
    if formatted == input.text {
        return Ok(Outcome::Success);
    }
    written(output::replace(&args.input.file, &formatted))
}
