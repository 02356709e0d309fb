//! One example: a copy of it below `target/projects`, and one run of its tests.

use super::install::copy;
use super::list::EXAMPLES_SOLC;
use super::tools::Tools;
use crate::project::{Outcome, root};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fresh copy of an example; what npm installed stays.
pub(super) fn copy_of(name: &str, folder: &Path) -> Outcome<PathBuf> {
    copy_from("examples", name, folder)
}

/// A fresh copy of a project in one of the repository's folders.
pub(super) fn copy_from(parent: &str, name: &str, folder: &Path) -> Outcome<PathBuf> {
    let place = folder.join(format!("example-{name}"));
    std::fs::create_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    copy(&root().join(parent).join(name), &place)?;
    Ok(place)
}

/// Runs the tests; returns their name if any fails, after printing all that was said.
pub(super) fn test(mut command: Command, tools: &Tools, name: &str, level: &str) -> Outcome<Option<String>> {
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
