//! A process with what it said and how much memory it had.

use crate::project::Outcome;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// How often the memory is looked at.
const INTERVAL: Duration = Duration::from_millis(20);

/// What a process did.
pub(super) struct Seen {
    pub(super) output: String,
    pub(super) errors: String,
    /// The most memory that it had, without that of its children; 0 where the system does not tell.
    pub(super) megabytes: f64,
}

/// Runs a command to its end, however that comes.
pub(super) fn run(mut command: Command) -> Outcome<Seen> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
    let output = reader(child.stdout.take());
    let errors = reader(child.stderr.take());
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut megabytes = 0.0_f64;
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        megabytes = megabytes.max(peak(&status).unwrap_or(0.0));
        std::thread::sleep(INTERVAL);
    }
    let text = |reader: std::thread::JoinHandle<String>| reader.join().unwrap_or_default();
    Ok(Seen { output: text(output), errors: text(errors), megabytes })
}

fn reader(stream: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // A stream that breaks off ends there.
        _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn peak(status: &Path) -> Option<f64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}
