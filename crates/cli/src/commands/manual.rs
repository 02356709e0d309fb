//! `cairn completions`, `cairn man`.

use super::common::{CommandResult, fail, print, usage, written};
use crate::Outcome;
use crate::args::{Cli, ManArgs};
use crate::output::{self, Sink};
use clap::CommandFactory;
use std::path::Path;

/// Prints a completion script.
pub(crate) fn completions(shell: clap_complete::Shell) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "cairn", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Prints the manual page of the program or of a command, or writes all of them.
pub(crate) fn man_page(args: &ManArgs) -> CommandResult {
    let mut pages = vec![("cairn".to_owned(), Cli::command())];
    let mut whole = Cli::command();
    // What all commands have in common becomes known to each when the whole is built.
    whole.build();
    for command in whole.get_subcommands() {
        let name = format!("cairn-{}", command.get_name());
        let spelled = format!("cairn {}", command.get_name());
        pages.push((name.clone(), command.clone().bin_name(spelled)));
    }
    if let Some(folder) = &args.all {
        return write_pages(folder, pages);
    }
    let name = args.command.as_ref().map_or("cairn".to_owned(), |name| format!("cairn-{name}"));
    let names: Vec<&str> = pages.iter().filter_map(|(name, _)| name.strip_prefix("cairn-")).collect();
    let unknown =
        format!("no command `{}`; known are {}", name.trim_start_matches("cairn-"), names.join(" "));
    match pages.into_iter().find(|(known, _)| *known == name) {
        Some((_, command)) => print(&page(command)?),
        None => Err(usage(&unknown)),
    }
}

fn write_pages(folder: &Path, pages: Vec<(String, clap::Command)>) -> CommandResult {
    std::fs::create_dir_all(folder).map_err(|error| fail(&format!("{}: {error}", folder.display())))?;
    let file = |name: &str| Sink::File(folder.join(format!("{name}.1")));
    let pages: Result<Vec<(Sink, String)>, Outcome> =
        pages.into_iter().map(|(name, command)| Ok((file(&name), page(command)?))).collect();
    written(output::write_all(&pages?))
}

fn page(command: clap::Command) -> Result<String, Outcome> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).map_err(|error| fail(&error.to_string()))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
