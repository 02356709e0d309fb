//! `--examples`: the projects below `examples/` as a user would run them, at each level, and what
//! slither finds in one of them.
//!
//! They run in copies below `target/projects`, such that nothing is written into the repository.

use super::coverage;
use super::install::copy;
use super::list::EXAMPLES_SOLC;
use super::options::Request;
use super::slither::Slither;
use super::tools::{NODE, Tools, npm_install};
use crate::project::{Outcome, read, root};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs both examples.
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
    let hardhat = copy_of("hardhat", folder)?;
    let package = serde_json::from_str(&read(&root().join("examples/hardhat/package.json"))?);
    match npm_install(tools.npm(), &hardhat, &package.map_err(|error| error.to_string())?) {
        Err(reason) => println!("examples/hardhat: skipped, {reason}"),
        Ok(()) if !tools.has_new_node() => println!("examples/hardhat: skipped, no node {NODE}"),
        Ok(()) => {
            for level in &request.levels {
                remove(&hardhat, &["artifacts", "cache"])?;
                let mut command = tools.command("node");
                command.args(["node_modules/hardhat/dist/src/cli.js", "test"]);
                command.current_dir(&hardhat).env("SOLC", compiler);
                failed.extend(test(command, tools, &format!("examples/hardhat -O{level}"), level)?);
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

/// A fresh copy of an example; what npm installed stays.
fn copy_of(name: &str, folder: &Path) -> Outcome<PathBuf> {
    let place = folder.join(format!("example-{name}"));
    std::fs::create_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    copy(&root().join("examples").join(name), &place)?;
    Ok(place)
}

/// Removes what an earlier compiler made: Hardhat does not see that another one is in its place.
fn remove(place: &Path, names: &[&str]) -> Outcome {
    let folders = names.iter().map(|name| place.join(name)).filter(|folder| folder.exists());
    folders.into_iter().try_for_each(|folder| {
        std::fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))
    })
}

/// Runs the tests; returns their name if any fails, after printing all that was said.
fn test(mut command: Command, tools: &Tools, name: &str, level: &str) -> Outcome<Option<String>> {
    command.env("CAIRN_SOLC", tools.soljson(EXAMPLES_SOLC)).env("CAIRN_LEVEL", level);
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        println!("{name}: tests pass");
        return Ok(None);
    }
    println!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    println!("{name}: {}", output.status);
    Ok(Some(name.to_owned()))
}
