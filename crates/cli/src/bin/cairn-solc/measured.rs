//! `CAIRN_STATS`: what an answer took, as a line of JSON.
//!
//! A value with a `/` in it is a file, to which the line is added: build tools keep what a compiler
//! writes to standard error. Any other value that is not empty stands for standard error.

use cairn_solidity::Stats;
use serde_json::Value;
use std::fs::OpenOptions;
use std::io::{self, Write};

/// The variable.
const STATS: &str = "CAIRN_STATS";

/// Ticks in a second of processor time, as Linux counts it for programs.
const TICKS: f64 = 100.0;

/// Says what an answer took, where that is asked for.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn tell(stats: &Stats) -> Result<(), String> {
    let Some(value) = std::env::var_os(STATS).filter(|value| !value.is_empty()) else { return Ok(()) };
    let line = format!("{}\n", with_usage(stats.to_value()));
    let told = match value.to_string_lossy().contains('/') {
        true => append(value.as_ref(), &line),
        false => io::stderr().write_all(line.as_bytes()),
    };
    told.map_err(|error| format!("{STATS}={}: {error}", value.to_string_lossy()))
}

fn append(path: &std::path::Path, line: &str) -> io::Result<()> {
    OpenOptions::new().append(true).create(true).open(path)?.write_all(line.as_bytes())
}

/// With the processor time of this process and of the front ends that have ended, and the most memory
/// that this process had; only where the system tells.
fn with_usage(mut stats: Value) -> Value {
    let read = |name: &str| std::fs::read_to_string(format!("/proc/self/{name}")).unwrap_or_default();
    if let Some([own, front_end]) = seconds(&read("stat")) {
        stats["processor_seconds"] = own.into();
        stats["front_end_processor_seconds"] = front_end.into();
    }
    if let Some(bytes) = peak(&read("status")) {
        stats["peak_bytes"] = bytes.into();
    }
    stats
}

/// Processor seconds of a process and of its children that have ended, in the text of `/proc/…/stat`.
fn seconds(stat: &str) -> Option<[f64; 2]> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<f64>().ok();
    Some([(ticks(11)? + ticks(12)?) / TICKS, (ticks(13)? + ticks(14)?) / TICKS])
}

/// The most memory that a process had, in the text of `/proc/…/status`.
fn peak(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_what_the_system_tells() {
        let stat = "7 (a) b) S 1 7 7 0 -1 0 1 2 3 4 150 50 300 25 20 0 1";
        assert_eq!(seconds(stat), Some([2.0, 3.25]));
        assert_eq!(seconds("7 (a) S 1"), None);
        assert_eq!(peak("VmPeak:\t 9 kB\nVmHWM:\t    12 kB\n"), Some(12 << 10));
        assert_eq!(peak(""), None);
    }

    #[test]
    fn lines_are_added_to_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stats");
        append(&path, "a\n").unwrap();
        append(&path, "b\n").unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "a\nb\n");
    }
}
