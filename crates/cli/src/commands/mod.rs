//! The commands, one file each.

mod build;
mod common;
mod fmt;
mod manual;
mod run;

use crate::Outcome;
use crate::args::{Cli, Command};

/// Runs the command that was asked for.
pub(crate) fn run(cli: &Cli) -> Outcome {
    let result = match &cli.command {
        Command::Build(args) => build::build(cli, args),
        Command::Fmt(args) => fmt::fmt(cli, args),
        Command::Run(args) => run::run(cli, args),
        Command::Completions { shell } => manual::completions(*shell),
        Command::Man => manual::man_page(),
        _ => Err(common::fail("this command is not built yet")),
    };
    result.unwrap_or_else(|outcome| outcome)
}
