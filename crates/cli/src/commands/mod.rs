//! The commands, one file each.

mod analyze;
mod asm;
mod build;
mod cfg;
mod common;
mod dataset;
mod diff;
mod disasm;
mod explain;
mod fmt;
mod hints;
mod lift;
mod manual;
mod prove;
mod recompile;
mod reduce;
mod run;
mod solidity;
mod stages;
mod verify;
mod yul_opt;

use crate::Outcome;
use crate::args::{Cli, Command};

/// Runs the command that was asked for.
pub(crate) fn run(cli: &Cli) -> Outcome {
    let result = common::prepare(cli).and_then(|()| command(cli));
    result.unwrap_or_else(|outcome| outcome)
}

fn command(cli: &Cli) -> common::CommandResult {
    match &cli.command {
        Command::Build(args) => build::build(cli, args),
        Command::Verify(args) => verify::verify(cli, args),
        Command::Fmt(args) => fmt::fmt(cli, args),
        Command::Legalize(args) => stages::legalize(cli, args),
        Command::Opt(args) => stages::opt(cli, args),
        Command::Stackify(args) => stages::stackify(cli, args),
        Command::Asm(args) => asm::asm(cli, args),
        Command::Disasm(args) => disasm::disasm(cli, args),
        Command::Run(args) => run::run(cli, args),
        Command::Analyze(args) => analyze::analyze(cli, args),
        Command::Cfg(args) => cfg::cfg(cli, args),
        Command::Lift(args) => lift::lift(cli, args),
        Command::Recompile(args) => recompile::recompile(cli, args),
        Command::Diff(args) => diff::diff(cli, args),
        Command::Prove(args) => prove::command(cli, args),
        Command::Reduce(args) => reduce::reduce(cli, args),
        Command::YulOpt(args) => yul_opt::yul_opt(cli, args),
        Command::Explain(args) => explain::explain(args),
        Command::Completions { shell } => manual::completions(*shell),
        Command::DatasetWorker => dataset::work(),
        Command::Man(args) => manual::man_page(args),
    }
}
