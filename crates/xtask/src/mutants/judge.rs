//! Runs the probe and the tests under mutants.

use super::plan::Plan;
use super::tree::{Suite, Tree};
use crate::project::{Outcome, corpus, files, read, root, write};
use flate2::read::GzDecoder;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Contracts of the corpus that the probe compiles beside the file tests and examples: every so many.
const EVERY: usize = 40;

/// How much longer than without mutant something may run, and for how long at least.
const PATIENCE: u32 = 8;
const LEAST: Duration = Duration::from_secs(10);

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// No output of the probe changes.
    NoChange,
    /// This suite fails, or runs on.
    Caught(String),
    Survived,
}

/// Mutants that the probe reaches, thinned out evenly to as many as asked for, in order.
pub(super) fn reached(tree: &Tree, plan: &Plan) -> Outcome<Vec<usize>> {
    let list = root().join("target/mutants/reached");
    let mut command = Command::new(&tree.probe);
    command.args(inputs()?).env("CAIRN_MUTANTS_REACHED", &list).stdout(Stdio::null());
    crate::project::run(command)?;
    let mut reached: Vec<usize> =
        read(&list)?.lines().filter_map(|line| line.parse::<usize>().ok()?.checked_sub(1)).collect();
    reached.sort_unstable();
    let step = reached.len().div_ceil(plan.sample.max(1)).max(1);
    let first = plan.seed as usize % step;
    Ok(reached.into_iter().skip(first).step_by(step).collect())
}

/// Files that the probe compiles.
fn inputs() -> Outcome<Vec<PathBuf>> {
    let mut inputs = files(&root().join("tests/filetests"), &["yul", "eir"])?;
    inputs.extend(files(&root().join("examples"), &["yul", "eir"])?);
    let folder = root().join("target/mutants/inputs");
    for suite in ["real/real-dev.jsonl.gz", "semantic/semantic-dev.jsonl.gz"] {
        let Some(file) = corpus().and_then(|corpus| std::fs::File::open(corpus.join(suite)).ok()) else {
            println!("no {suite}: the probe compiles what the repository holds");
            continue;
        };
        let mut text = String::new();
        GzDecoder::new(file).read_to_string(&mut text).map_err(|error| format!("{suite}: {error}"))?;
        let rows = text
            .lines()
            .step_by(EVERY)
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        for (index, row) in rows.enumerate() {
            let path = folder.join(format!("{}-{index}.yul", &suite[..4]));
            write(&path, row["yul"].as_str().unwrap_or(""))?;
            inputs.push(path);
        }
    }
    Ok(inputs)
}

/// Judges the mutants, some at a time; verdicts in their order.
pub(super) fn judge_all(tree: &Tree, plan: &Plan, chosen: &[usize]) -> Outcome<Vec<(usize, Verdict)>> {
    let judge = Judge::new(tree)?;
    let next = AtomicUsize::new(0);
    let verdicts = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs {
            scope.spawn(|| {
                while let Some(mutant) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let verdict = judge.judge(*mutant);
                    println!("{verdict:?}: {}", tree.mutants[*mutant].key);
                    verdicts
                        .lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner)
                        .push((*mutant, verdict));
                }
            });
        }
    });
    let mut verdicts = verdicts.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    verdicts.sort_by_key(|(mutant, _)| *mutant);
    Ok(verdicts)
}

/// What runs without mutant, and how long.
struct Judge<'a> {
    tree: &'a Tree,
    inputs: Vec<PathBuf>,
    /// What the probe prints without mutant.
    fingerprint: Vec<u8>,
    probe_time: Duration,
    /// From the quickest to the slowest.
    suites: Vec<(&'a Suite, Duration)>,
}

/// How a program ended.
struct Ended {
    success: bool,
    output: Vec<u8>,
}

impl<'a> Judge<'a> {
    fn new(tree: &'a Tree) -> Outcome<Self> {
        let inputs = inputs()?;
        let begin = Instant::now();
        let ended = run(Command::new(&tree.probe).args(&inputs), None).ok_or("the probe does not run")?;
        let probe_time = begin.elapsed();
        let mut suites = Vec::new();
        for suite in &tree.suites {
            let begin = Instant::now();
            let passes = run(&mut command(suite), None).is_some_and(|ended| ended.success);
            println!("{} {}: {:.1} s", suite.package, suite.name, begin.elapsed().as_secs_f64());
            if passes {
                suites.push((suite, begin.elapsed()));
            } else {
                println!("left out, as it fails without mutants: {} {}", suite.package, suite.name);
            }
        }
        suites.sort_by_key(|(_, time)| *time);
        Ok(Judge { tree, inputs, fingerprint: ended.output, probe_time, suites })
    }

    fn judge(&self, mutant: usize) -> Verdict {
        if !self.changes(mutant) {
            return Verdict::NoChange;
        }
        let own = self.tree.mutants[mutant].package;
        let (first, then): (Vec<_>, Vec<_>) =
            self.suites.iter().partition(|(suite, _)| suite.package == own || suite.name == "filetests");
        let failing = first.into_iter().chain(then).find(|(suite, time)| {
            let mut command = command(suite);
            command.env("CAIRN_MUTANT", (mutant + 1).to_string());
            !run(&mut command, Some(*time * PATIENCE + LEAST)).is_some_and(|ended| ended.success)
        });
        failing.map_or(Verdict::Survived, |(suite, _)| {
            Verdict::Caught(format!("{} {}", suite.package, suite.name))
        })
    }

    /// Whether the probe prints something else.
    fn changes(&self, mutant: usize) -> bool {
        let mut command = Command::new(&self.tree.probe);
        command.args(&self.inputs).env("CAIRN_MUTANT", (mutant + 1).to_string());
        let ended = run(&mut command, Some(self.probe_time * PATIENCE + LEAST));
        ended.is_none_or(|ended| ended.output != self.fingerprint)
    }
}

fn command(suite: &Suite) -> Command {
    let mut command = Command::new(&suite.program);
    command.current_dir(&suite.folder).env("RUST_TEST_THREADS", "1").arg("--quiet");
    if let Some(corpus) = corpus().and_then(|corpus| corpus.canonicalize().ok()) {
        command.env("CAIRN_CORPUS", corpus);
    }
    command
}

/// Runs a program; `None` where it cannot start or does not end in time.
fn run(command: &mut Command, limit: Option<Duration>) -> Option<Ended> {
    let output = tempfile::NamedTempFile::new().ok()?;
    command.stdin(Stdio::null()).stdout(output.reopen().ok()?).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let begin = Instant::now();
    let status = loop {
        match child.try_wait().ok()? {
            Some(status) => break status,
            None if limit.is_some_and(|limit| begin.elapsed() > limit) => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    Some(Ended { success: status.success(), output: std::fs::read(output.path()).ok()? })
}
