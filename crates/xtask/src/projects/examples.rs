//! `--examples`: the projects below `examples/` as a user would run them, at each level, and what
//! slither finds in one of them.
//!
//! They run in copies below `target/projects`, such that nothing is written into the repository.

use super::coverage;
use super::hardhat;
use super::one_example::{copy_of, test};
use super::options::Request;
use super::slither::Slither;
use super::tools::Tools;
use crate::project::Outcome;
use std::path::Path;

/// Runs the examples.
///
/// # Errors
/// A test fails. What can't be installed is skipped with a word.
pub(crate) fn run(request: &Request, tools: &Tools, compiler: &Path, folder: &Path) -> Outcome {
    let mut failed = Vec::new();
    let foundry = copy_of("foundry", folder)?;
    for level in &request.levels {
        let mut forge = tools.command("forge");
        forge.args(["test", "--root", ".", "--force"]).current_dir(&foundry).env("FOUNDRY_SOLC", compiler);
        failed.extend(test(forge, tools, &format!("examples/foundry -O{level}"), level)?);
    }
    failed.extend(coverage::compare_example(&foundry, tools, compiler));
    if let Some(slither) = Slither::install(tools, compiler, folder) {
        failed.extend(slither.compare_example(&foundry)?);
    }
    failed.extend(hardhat::run(request, tools, compiler, folder)?);
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}
