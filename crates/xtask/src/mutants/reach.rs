//! Which mutants a program reaches: programs with mutants append the number of each that they ask for
//! to the file that a variable names.

use super::watch::End;
use crate::project::{Outcome, read};
use std::collections::BTreeSet;
use std::path::Path;

/// The variable.
pub(super) const VARIABLE: &str = "CAIRN_MUTANTS_REACHED";

/// The mutants that are reached while `run` runs something with the variable set to the path it gets.
pub(super) fn record(run: impl FnOnce(&Path) -> Option<End>) -> Outcome<BTreeSet<usize>> {
    let list = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    run(list.path()).ok_or("a program does not start")?;
    let text = read(list.path())?;
    Ok(text.lines().filter_map(|line| line.parse::<usize>().ok()?.checked_sub(1)).collect())
}
