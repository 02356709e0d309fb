//! Compile times: processor time of all processes that compile the real contracts, one after the
//! other on one core. They differ from machine to machine and are kept out of the results.

use super::cases::Case;
use crate::project::Outcome;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs of everything; the best counts.
const RUNS: usize = 3;
/// Compilers whose times are recorded, on the machine on which the corpus was made.
const RECORDED: [&str; 5] = ["via_ir", "legacy", "via_ir_ssacfg", "solc native 0.8.29", "solar"];

/// A page of times, or nothing where there is no real contract.
pub(crate) fn page(cases: &[Case], levels: &[&str], binary: &Path) -> Outcome<Option<String>> {
    let real: Vec<&Case> = cases.iter().filter(|case| case.suite() == "real").collect();
    if real.is_empty() {
        return Ok(None);
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut files = Vec::new();
    for (index, case) in real.iter().enumerate() {
        let path = folder.path().join(format!("{index}.yul"));
        std::fs::write(&path, &case.text).map_err(|error| error.to_string())?;
        files.push(path);
    }
    let bytes: usize = real.iter().map(|case| case.text.len()).sum();
    let mut text = format!(
        "# Compile times\n\nWritten by `cargo xtask bench`; not the same on another machine. {} contracts, {bytes} \
         bytes of Yul, a process each on one thread; seconds of all processes ({}).\n\n\
         | compiler | seconds |\n|---|---|\n",
        real.len(),
        if cpu_time().is_some() { "processor time" } else { "elapsed" },
    );
    for level in levels {
        let mut best = f64::INFINITY;
        for _ in 0..RUNS {
            best = best.min(run_all(&files, level, binary)?);
        }
        _ = writeln!(text, "| cairn {level} | {best:.2} |");
    }
    text.push_str("\nRecorded elsewhere, on the contracts that the compiler takes:\n\n| compiler | contracts | seconds |\n|---|---|---|\n");
    for name in RECORDED {
        let seconds: Vec<f64> =
            real.iter().filter_map(|case| case.recorded.get(name).and_then(|found| found.seconds)).collect();
        _ = writeln!(text, "| {name} | {} | {:.2} |", seconds.len(), seconds.iter().sum::<f64>());
    }
    Ok(Some(text))
}

fn run_all(files: &[std::path::PathBuf], level: &str, binary: &Path) -> Outcome<f64> {
    let (cpu, start) = (cpu_time(), Instant::now());
    for file in files {
        let mut command = Command::new(binary);
        command.args(["--quiet", "build", "-j", "1", level]).arg(file);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().map_err(|error| format!("{}: {error}", binary.display()))?;
    }
    let elapsed = start.elapsed();
    let used = cpu.zip(cpu_time()).map(|(before, after)| after.saturating_sub(before));
    Ok(used.unwrap_or(elapsed).as_secs_f64())
}

/// Processor time of all children that have ended, where the system tells.
fn cpu_time() -> Option<Duration> {
    child_time(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// The fields `cutime` and `cstime`; a tick is 10 ms on every Linux that Rust runs on.
fn child_time(stat: &str) -> Option<Duration> {
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks: u64 = fields.get(13)?.parse::<u64>().ok()? + fields.get(14)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(10 * ticks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn child_times_are_fields_16_and_17() {
        let stat = "7 (a b) c) S 1 2 3 4 5 6 7 8 9 10 111 112 113 114 20 0 1 0 99";
        assert_eq!(child_time(stat), Some(Duration::from_millis(2270)));
    }
}
