//! The instructions of one run of a command.

use super::commands::Invocation;
use crate::project::Outcome;
use std::path::Path;
use std::process::Command;

/// What a run costs and gives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    pub(super) instructions: f64,
    /// Bytes on standard output.
    pub(super) output: f64,
}

/// Runs a command on its shape of this size.
pub(super) fn count(binary: &Path, row: &Invocation, n: usize) -> Outcome<Count> {
    let suffix = format!(".{}", row.shape.language);
    let file = tempfile::Builder::new().suffix(&suffix).tempfile().map_err(|error| error.to_string())?;
    std::fs::write(file.path(), (row.shape.make)(n)).map_err(|error| error.to_string())?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(binary);
    command.args(&row.arguments).arg(file.path()).env("RAYON_NUM_THREADS", "1");
    let output = command.output().map_err(|error| error.to_string())?;
    let log = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let said = log.lines().filter(|line| !line.starts_with("==")).take(3).collect::<Vec<_>>().join("; ");
        return Err(format!("{}: {said}", output.status));
    }
    let counted = log.lines().find_map(|line| line.split_once("Collected : "));
    let instructions = counted.and_then(|(_, count)| count.trim().parse().ok());
    let instructions = instructions.ok_or("valgrind prints no count")?;
    Ok(Count { instructions, output: output.stdout.len() as f64 })
}
