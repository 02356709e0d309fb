//! `tidy`: rules of the repository that the compiler does not check.

mod bool_params;
mod bugs;
mod circles;
mod doc_paths;
mod functions;
mod layers;
mod licences;
mod packages;
mod seed_coverage;
mod sources;
mod test_folders;

use crate::project::Outcome;
use std::fmt;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fault {
    /// The file, relative to the root, and the line where known.
    place: String,
    message: String,
}

impl Fault {
    fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Fault { place: place.into(), message: message.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// Runs all checks and reports every fault.
pub(crate) fn run() -> Outcome {
    let mut faults = layers::check()?;
    faults.extend(circles::check()?);
    faults.extend(sources::check()?);
    faults.extend(bool_params::check()?);
    faults.extend(test_folders::check()?);
    faults.extend(packages::check()?);
    faults.extend(bugs::check()?);
    faults.extend(doc_paths::check()?);
    faults.extend(seed_coverage::check()?);
    faults.extend(licences::check()?);
    if faults.is_empty() {
        println!("tidy: no faults");
        return Ok(());
    }
    let lines: Vec<String> = faults.iter().map(Fault::to_string).collect();
    Err(format!("{}\ntidy: {} faults", lines.join("\n"), faults.len()))
}
