//! `bench`: sizes and gas at each level, written to bench/results.snap.
//!
//! The cases are the examples of the repository and, where there is a corpus, its contracts, call
//! scenarios and semantic tests. Each is built by the release binary; scenarios run on revm in
//! process, and a difference from the recorded behaviour is reported in the row. Rows are sorted,
//! so the difference of two versions of the file shows what a change did. Rows of suites that are
//! not on this machine stay as they are.

mod cases;
mod measure;
mod snapshot;

use crate::project::{Outcome, cargo, root, run as run_command, shown, write};
use cases::Case;
use measure::{Row, measure};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Levels of `cairn build`.
const LEVELS: [&str; 5] = ["0", "1", "2", "s", "3"];

/// Measures the cases whose names contain the filter, with the release binary or the one that
/// `--cairn=PATH` names.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let given = arguments.iter().find_map(|argument| argument.strip_prefix("--cairn="));
    let filter = arguments.iter().find(|argument| !argument.starts_with("--")).map_or("", String::as_str);
    let binary = match given {
        Some(path) => PathBuf::from(path),
        None => {
            run_command(cargo(&["build", "--quiet", "--release", "--package", "cairn"]))?;
            release_binary()
        }
    };
    let mut cases = cases::load()?;
    cases.retain(|case| case.name.contains(filter));
    println!("{} cases, {} levels", cases.len(), LEVELS.len());
    let rows = measure_all(&cases, &binary);
    let path = root().join("bench/results.snap");
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    write(&path, &snapshot::merge(&old, &rows))?;
    print!("{}", snapshot::summary(&rows));
    println!("written to {}", shown(&path));
    let failed = rows.iter().filter(|row| row.fault.is_some()).count();
    if failed == 0 { Ok(()) } else { Err(format!("{failed} rows with faults")) }
}

fn release_binary() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    target.join("release/cairn")
}

/// Measures on all cores; the rows come in order of cases and levels.
fn measure_all(cases: &[Case], binary: &std::path::Path) -> Vec<Row> {
    let jobs: Vec<(&Case, &str)> =
        cases.iter().flat_map(|case| LEVELS.iter().map(move |level| (case, *level))).collect();
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let mut rows = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((case, level)) = jobs.get(index) else { return rows };
            rows.push((index, measure(case, level, binary)));
        }
    };
    let mut rows: Vec<(usize, Row)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    rows.sort_by_key(|(index, _)| *index);
    rows.into_iter().map(|(_, row)| row).collect()
}
