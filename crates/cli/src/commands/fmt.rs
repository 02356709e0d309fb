//! `cairn fmt`: prints an input in its canonical formatting.

use super::common::{CommandResult, finish, plain_options, print, read, usage, written};
use crate::Outcome;
use crate::args::{Cli, FmtArgs};
use crate::output;
use cairn_driver::{Input, Session};
use similar::{Algorithm, TextDiff};
use std::time::Duration;

/// After this time a diff need not be the shortest.
const DIFF_TIME: Duration = Duration::from_secs(2);

/// Formats a file.
pub(crate) fn fmt(cli: &Cli, args: &FmtArgs) -> CommandResult {
    if args.in_place && args.input.file.as_os_str() == "-" {
        return Err(usage("`--in-place` needs a file, not standard input"));
    }
    let input = read(&args.input.file)?;
    let options = plain_options(&args.input);
    let mut session = Session::default();
    let result = cairn_driver::format(&input, &options, &mut session);
    let formatted = finish(cli, &session, result)?;
    if args.check {
        return check(&input, &formatted);
    }
    if !args.in_place {
        return print(&formatted);
    }
    if formatted == input.text {
        return Ok(Outcome::Success);
    }
    written(output::replace(&args.input.file, &formatted))
}

/// Prints what formatting would change.
fn check(input: &Input, formatted: &str) -> CommandResult {
    if formatted == input.text {
        return Ok(Outcome::Success);
    }
    let mut config = TextDiff::configure();
    let diff = config.algorithm(Algorithm::Patience).timeout(DIFF_TIME).diff_lines(&*input.text, formatted);
    let new_name = format!("{} (formatted)", input.name);
    print(&diff.unified_diff().header(&input.name, &new_name).to_string())?;
    Ok(Outcome::Failure)
}
