//! `--version`: the front end's version in solc's words, so that tools take this program for it.

use cairn_solidity::Environment;
use cairn_solidity::frontend::find;

/// The text; its last line is `Version: X.Y.Z+commit.…`.
///
/// # Errors
/// There is no front end.
pub(crate) fn text(environment: &Environment) -> Result<String, String> {
    let (cairn, version) = (env!("CARGO_PKG_VERSION"), number(environment)?);
    Ok(format!(
        "solc, the solidity compiler commandline interface\nCairn {cairn} makes the code\nVersion: {version}\n"
    ))
}

/// The version of the front end.
///
/// # Errors
/// There is no front end.
pub(crate) fn number(environment: &Environment) -> Result<String, String> {
    let none: [&str; 0] = [];
    let newest =
        find::for_sources(&environment.places, none).and_then(|found| found.complete(&environment.places));
    newest.map(|found| found.version.to_string()).map_err(|fault| shown(&fault))
}

fn shown(fault: &cairn_solidity::frontend::Fault) -> String {
    fault.help().map_or_else(|| fault.to_string(), |help| format!("{fault}\n{help}"))
}
