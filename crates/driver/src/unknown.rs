//! Options that name what is not there: a pass, an object, a library.

use crate::options::Options;
use crate::session::{Session, Stage};
use cairn_diag::Diagnostic;
use std::collections::BTreeSet;

pub(crate) const PASS: &str = "unknown-pass";
pub(crate) const OBJECT: &str = "unknown-object";
const LIBRARY: &str = "unknown-library";

/// True for a diagnostic that finds fault with the options, not with the input.
pub fn is_about_options(diagnostic: &Diagnostic) -> bool {
    [PASS, OBJECT, LIBRARY].contains(&diagnostic.code)
}

/// The fault of an option that names a `kind` of thing that is not among those known.
pub(crate) fn unknown(kind: &str, name: &str, code: &'static str, known: &[String]) -> Diagnostic {
    let help = match known {
        [] => format!("the program has no {kind}"),
        known => format!("known are {}", known.join(" ")),
    };
    Diagnostic::error(format!("unknown {kind} `{name}`")).with_code(code).with_help(help)
}

/// Refuses an address of a library that the program does not link: its name is misspelt.
pub(crate) fn check_libraries(
    known: &BTreeSet<String>,
    options: &Options,
    session: &mut Session,
) -> Stage<()> {
    let mut names = options.libraries.iter().map(|(name, _)| name);
    let Some(name) = names.find(|name| !known.contains(*name)) else { return Ok(()) };
    let known: Vec<String> = known.iter().cloned().collect();
    session.error(unknown("library", name, LIBRARY, &known))
}
