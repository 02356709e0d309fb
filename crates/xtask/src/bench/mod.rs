//! `bench`: sizes and gas at each level, written to bench/.
//!
//! The cases are the examples of the repository and, where there is a corpus, its contracts, call
//! scenarios and semantic tests. Each is built by the release binary at each level, real contracts
//! and scenarios also without each pass and by the other compilers that are installed; scenarios
//! run on revm in process, and a difference from the recorded behaviour is reported in the row.
//!
//! `results.snap` has the figures that are the same on every machine; rows are sorted, so the
//! difference of two versions shows what a change did. Rows of suites that are not on this machine
//! stay as they are. `report.md` with its pictures and `times.md` are written when everything is
//! measured.

pub(crate) mod cases;
mod measure;
mod peers;
mod picture;
mod ratios;
mod report;
mod snapshot;
mod table;
mod times;

use crate::project::{Outcome, build_release, root, shown, write};
use cases::Case;
use measure::{Compiler, Kind, Row, measure};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use table::Table;

/// Levels of `cairn build`.
const LEVELS: [&str; 5] = ["-O0", "-O1", "-O2", "-O3", "-Os"];

/// Suites on which passes are switched off and peers are run.
const SMALL_SUITES: [&str; 2] = ["real", "scenario"];

/// Measures the cases whose names contain the filter. `--cairn=PATH` names another binary than the
/// release build, `--no-peers` and `--no-passes` leave out what takes most of the time.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let has = |option: &str| arguments.iter().any(|argument| argument == option);
    let given = arguments.iter().find_map(|argument| argument.strip_prefix("--cairn="));
    let filter = arguments.iter().find(|argument| !argument.starts_with("--")).map_or("", String::as_str);
    let binary = match given {
        Some(path) => PathBuf::from(path),
        None => build_release()?.join("cairn"),
    };
    let mut cases = cases::load()?;
    cases.retain(|case| case.name.contains(filter));
    let mut compilers: Vec<Compiler> = LEVELS.iter().map(|level| at_level(&binary, level)).collect();
    if !has("--no-passes") {
        compilers.extend(cairn_opt::pipeline::PASSES.iter().map(|pass| without(&binary, pass.name)));
    }
    compilers.extend(peers::find(arguments)?);
    println!("{} cases, {} ways to compile", cases.len(), compilers.len());
    let rows = measure_all(&cases, &compilers);
    let path = root().join("bench/results.snap");
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    write(&path, &snapshot::merge(&old, &cases, &rows))?;
    println!("written to {}", shown(&path));
    let is_whole = filter.is_empty() && cases.iter().any(|case| case.suite() == "real");
    let passes: Vec<String> = names_of(&compilers, Kind::WithoutPass);
    let text = report::report(&Table::new(&cases, &rows), &passes);
    if is_whole {
        write_report(&cases, &rows, &text, &binary)?;
    } else {
        print!("{text}");
    }
    let ours = names_of(&compilers, Kind::Level);
    let mut failed = 0;
    for row in rows.iter().filter(|row| ours.contains(&row.compiler)) {
        if let Some(fault) = &row.fault {
            println!("{} {}: {fault}", cases[row.case].name, row.compiler);
            failed += 1;
        }
    }
    if failed == 0 { Ok(()) } else { Err(format!("{failed} rows with faults")) }
}

fn write_report(cases: &[Case], rows: &[Row], text: &str, binary: &Path) -> Outcome {
    let folder = root().join("bench");
    write(&folder.join("report.md"), text)?;
    for (name, picture) in report::pictures(&Table::new(cases, rows)) {
        write(&folder.join(name), &picture.svg())?;
    }
    if let Some(times) = times::page(cases, &LEVELS, binary)? {
        write(&folder.join("times.md"), &times)?;
        print!("{times}");
    }
    println!("written to {}", shown(&folder.join("report.md")));
    Ok(())
}

fn names_of(compilers: &[Compiler], kind: Kind) -> Vec<String> {
    let of_kind = compilers.iter().filter(|compiler| compiler.kind == kind);
    of_kind.map(|compiler| compiler.name.clone()).collect()
}

fn cairn(binary: &Path, options: &[&str], name: String, kind: Kind) -> Compiler {
    let mut command = vec![binary.as_os_str().to_owned()];
    command.extend(["--quiet", "build", "--emit", "bin,stats"].map(Into::into));
    command.extend(options.iter().map(Into::into));
    Compiler { name, command, kind }
}

fn at_level(binary: &Path, level: &str) -> Compiler {
    cairn(binary, &[level], level.to_owned(), Kind::Level)
}

fn without(binary: &Path, pass: &str) -> Compiler {
    cairn(binary, &["-O2", "--skip-pass", pass], format!("without {pass}"), Kind::WithoutPass)
}

/// Whether a case is compiled in this way: semantic tests are too many for all.
fn is_measured(case: &Case, compiler: &Compiler) -> bool {
    match compiler.kind {
        Kind::Level => true,
        Kind::WithoutPass => SMALL_SUITES.contains(&case.suite()),
        Kind::Peer => SMALL_SUITES.contains(&case.suite()) && case.extension == "yul",
    }
}

/// Measures on all cores; the rows come in order of cases and compilers.
fn measure_all(cases: &[Case], compilers: &[Compiler]) -> Vec<Row> {
    let all = cases.iter().enumerate().flat_map(|case| compilers.iter().map(move |with| (case, with)));
    let jobs: Vec<_> = all.filter(|((_, case), compiler)| is_measured(case, compiler)).collect();
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let mut rows = Vec::new();
        loop {
            let job = next.fetch_add(1, Ordering::Relaxed);
            let Some(((index, case), compiler)) = jobs.get(job) else { return rows };
            rows.push((job, measure(*index, case, compiler)));
        }
    };
    let mut rows: Vec<(usize, Row)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    rows.sort_by_key(|(job, _)| *job);
    rows.into_iter().map(|(_, row)| row).collect()
}
