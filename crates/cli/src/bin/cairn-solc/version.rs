//! `--version`: the front end's version in solc's words, so that tools take this program for it.
//!
//! Some take the first number of the form `X.Y.Z`, some the last line: there is one such number, in
//! the last line. Cairn's own version stands in the help.

use cairn_solidity::Environment;
use cairn_solidity::frontend::find;

/// The text; its last line is `Version: X.Y.Z+commit.…`.
///
/// # Errors
/// There is no front end.
pub(crate) fn text(environment: &Environment) -> Result<String, String> {
    Ok(shown(&number(environment)?))
}

fn shown(version: &str) -> String {
    format!("solc, the solidity compiler commandline interface\nCairn makes the code\nVersion: {version}\n")
}

/// The version of the front end.
///
/// # Errors
/// There is no front end.
pub(crate) fn number(environment: &Environment) -> Result<String, String> {
    let none: [&str; 0] = [];
    let newest =
        find::for_sources(&environment.places, none).and_then(|found| found.complete(&environment.places));
    newest.map(|found| found.version.to_string()).map_err(|fault| said(&fault))
}

fn said(fault: &cairn_solidity::frontend::Fault) -> String {
    fault.help().map_or_else(|| fault.to_string(), |help| format!("{fault}\n{help}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_number_is_in_the_last_line() {
        let text = shown("0.8.37+commit.f401782d");
        let digits = |line: &str| line.contains(|c: char| c.is_ascii_digit());
        let lines: Vec<&str> = text.lines().filter(|line| digits(line)).collect();
        assert_eq!(lines, ["Version: 0.8.37+commit.f401782d"]);
        assert_eq!(text.lines().last(), lines.first().copied());
    }
}
