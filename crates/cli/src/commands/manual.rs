//! `cairn completions`, `cairn man`.

use super::common::{CommandResult, fail, print};
use crate::args::Cli;
use clap::CommandFactory;

/// Prints a completion script.
pub(crate) fn completions(shell: clap_complete::Shell) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "cairn", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Prints the manual page.
pub(crate) fn man_page() -> CommandResult {
    let mut page = Vec::new();
    let manual = clap_mangen::Man::new(Cli::command());
    manual.render(&mut page).map_err(|error| fail(&error.to_string()))?;
    print(&String::from_utf8_lossy(&page))
}
