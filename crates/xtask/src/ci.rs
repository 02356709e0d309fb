//! `ci`: everything that continuous integration runs.
//!
//! Steps go on after one that fails, so that one run shows all faults. Tests read the corpus where
//! there is one. The last line is the test runner's, summed over all test binaries.
//!
//! Everything is built once, for the tests; the programs that come with them are those that are tried. The examples,
//! which wait for one process or another most of the time, run beside the steps before theirs.

use crate::project::{self, Outcome, cargo, corpus, target};
use crate::{docs, prove, tidy};
use std::fs::File;
use std::io::{BufRead, BufReader, Seek};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// How long the fuzzing test runs, in seconds.
const FUZZ_SECONDS: &str = "CAIRN_FUZZ_SECONDS";

/// Runs all steps, fuzzing for this many seconds.
pub(crate) fn run(seconds: &str) -> Outcome {
    match corpus() {
        Some(folder) => println!("corpus: {}", folder.display()),
        None => println!("corpus: none; suites that need one say what they skip"),
    }
    let programs = target().join("debug");
    let mut steps = Steps::default();
    steps.run("build", || project::run(cargo(&["test", "--quiet", "--workspace", "--no-run"])));
    let examples = Beside::start({
        let mut command = Command::new(programs.join("xtask"));
        let compiler = format!("--compiler={}", programs.join("cairn-solc").display());
        command.args(["projects", "--examples", "--levels=0,2", &compiler]);
        command
    });
    steps.run("format", || project::run(cargo(&["fmt", "--all", "--check"])));
    steps.run("tidy", tidy::run);
    steps.run("docs", || docs::run(docs::Mode::Check));
    steps.run("clippy", || {
        project::run(cargo(&["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    });
    steps.run("pages", pages);
    steps.run("fuzz", || fuzz(seconds));
    steps.run("examples", || examples?.end());
    steps.run("prove", || prove::run_watched(&programs.join("cairn")));
    steps.run("test", test);
    let failed = steps.failed;
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

/// Steps one after the other.
#[derive(Default)]
struct Steps {
    failed: Vec<&'static str>,
}

impl Steps {
    fn run(&mut self, name: &'static str, work: impl FnOnce() -> Outcome) {
        println!("\n==== {name}");
        let start = Instant::now();
        if let Err(message) = work() {
            eprintln!("{message}");
            self.failed.push(name);
        }
        println!("---- {name}: {} s", start.elapsed().as_secs());
    }
}

/// A step that runs while others do; what it prints waits for its turn.
struct Beside {
    child: Child,
    printed: File,
}

impl Beside {
    fn start(mut command: Command) -> Outcome<Beside> {
        let printed = tempfile::tempfile().map_err(|error| error.to_string())?;
        let stream = || printed.try_clone().map_err(|error| error.to_string());
        command.stdin(Stdio::null()).stdout(stream()?).stderr(stream()?);
        let child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        Ok(Beside { child, printed })
    }

    /// Waits for its end, and prints what it has printed.
    fn end(mut self) -> Outcome {
        let status = self.child.wait().map_err(|error| error.to_string())?;
        let shown =
            self.printed.rewind().and_then(|()| std::io::copy(&mut self.printed, &mut std::io::stdout()));
        shown.map_err(|error| error.to_string())?;
        if status.success() { Ok(()) } else { Err(status.to_string()) }
    }
}

/// The pages of all crates, without a warning.
fn pages() -> Outcome {
    let mut command = cargo(&["doc", "--quiet", "--workspace", "--no-deps"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    project::run(command)
}

/// Both at once, as they are built for the other tests, with checks of overflow: each has one thread.
fn fuzz(seconds: &str) -> Outcome {
    let targets: [&[&str]; 2] = [&["hostile"], &["suite", "interpreter_before_is_bytecode_after"]];
    let start = |target: &[&str]| {
        let mut command = cargo(&[&["test", "--quiet", "--workspace", "--test"], target].concat());
        command.env(FUZZ_SECONDS, seconds);
        command.spawn().map_err(|error| format!("{command:?}: {error}"))
    };
    let children: Vec<_> = targets.map(start).into();
    let ends = children.into_iter().map(|child| {
        let status = child?.wait().map_err(|error| error.to_string())?;
        if status.success() { Ok(()) } else { Err(format!("fuzzing: {status}")) }
    });
    // Both come to their end, whatever the first says.
    ends.collect::<Vec<Outcome>>().into_iter().collect()
}

/// The command of the README, with the closing lines of all test binaries summed.
fn test() -> Outcome {
    let mut command = cargo(&["test", "--workspace", "--no-fail-fast"]);
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| error.to_string())?;
    let mut total = Counts::default();
    for line in child.stdout.take().into_iter().flat_map(|stdout| BufReader::new(stdout).lines()) {
        let line = line.map_err(|error| error.to_string())?;
        println!("{line}");
        total.add(&line);
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    let verdict = if status.success() { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {verdict}. {} passed; {} failed; {} ignored",
        total.passed, total.failed, total.ignored
    );
    if status.success() { Ok(()) } else { Err(format!("tests: {status}")) }
}

/// Sums of closing lines.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl Counts {
    /// Adds `test result: ok. 5 passed; 0 failed; 1 ignored; …`; other lines count nothing.
    fn add(&mut self, line: &str) {
        let Some(rest) = line.strip_prefix("test result: ") else { return };
        for part in rest.split(['.', ';']) {
            let mut words = part.split_whitespace();
            let (Some(Ok(count)), Some(what)) = (words.next().map(str::parse::<u64>), words.next()) else {
                continue;
            };
            match what {
                "passed" => self.passed += count,
                "failed" => self.failed += count,
                "ignored" => self.ignored += count,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_closing_lines() {
        let mut counts = Counts::default();
        counts.add("running 3 tests");
        counts.add(
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.01s",
        );
        counts.add(
            "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1s",
        );
        assert_eq!(counts, Counts { passed: 13, failed: 2, ignored: 1 });
    }
}
