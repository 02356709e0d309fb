//! Runs the probe and the tests under mutants.

use super::plan::Plan;
use super::probe::Probe;
use super::proof::{self, Finding};
use super::tree::{Suite, Tree, activate};
use super::watch::{End, Next, bounded, watch};
use super::{reach, survivors};
use crate::project::{Outcome, corpus, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How much longer than without mutant a suite may run, and for how long at least.
const PATIENCE: u32 = 3;
const MIN_TIME: Duration = Duration::from_secs(5);

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// No output of the probe changes.
    NoChange,
    /// This suite fails, or runs on.
    Caught(String),
    /// No test sees it, but the prover does, on this.
    Disproven(String),
    /// No test sees it, and so many codes that it changes are proven.
    Proven(usize),
    Survived,
}

/// The mutants that are asked for, of those that the probe reaches, well mixed: what is judged until
/// someone stops is a sample, too.
pub(super) fn choose(tree: &Tree, plan: &Plan, probe: &Probe<'_>) -> Outcome<Vec<usize>> {
    let reached = probe.reached();
    println!("{} mutants compile, {} are reached by the probe", tree.mutants.len(), reached.len());
    if plan.again {
        let last = survivors::last()?;
        return Ok(reached.into_iter().filter(|mutant| last.contains(&tree.mutants[*mutant].key)).collect());
    }
    let step = reached.len().div_ceil(plan.sample.max(1)).max(1);
    let first = plan.seed as usize % step;
    let mut chosen: Vec<usize> = reached.into_iter().skip(first).step_by(step).collect();
    chosen.sort_by_key(|mutant| (*mutant as u32).wrapping_mul(0x9e37_79b1));
    Ok(chosen)
}

/// Judges the mutants, some at a time; verdicts in their order.
pub(super) fn judge_all(
    tree: &Tree,
    plan: &Plan,
    probe: &Probe<'_>,
    chosen: &[usize],
) -> Outcome<Vec<(usize, Verdict)>> {
    let judge = Judge::new(tree, plan, probe)?;
    let next = AtomicUsize::new(0);
    let verdicts = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs {
            scope.spawn(|| {
                while let Some(mutant) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let begin = Instant::now();
                    let verdict = judge.judge(*mutant);
                    let seconds = begin.elapsed().as_secs_f64();
                    println!("{verdict:?} ({seconds:.1} s): {}", tree.mutants[*mutant].key);
                    verdicts.lock().unwrap_or_else(PoisonError::into_inner).push((*mutant, verdict));
                }
            });
        }
    });
    let mut verdicts = verdicts.into_inner().unwrap_or_else(PoisonError::into_inner);
    verdicts.sort_by_key(|(mutant, _)| *mutant);
    Ok(verdicts)
}

/// A suite without mutants.
struct Measured<'a> {
    suite: &'a Suite,
    time: Duration,
    reached: BTreeSet<usize>,
}

/// In which order suites run, before their time decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Quick ones of the crate that the mutant is in.
    Own,
    FileTestsOfPass,
    FileTests,
    Other,
}

/// What runs without mutant, and how long.
struct Judge<'a> {
    tree: &'a Tree,
    plan: &'a Plan,
    probe: &'a Probe<'a>,
    suites: Vec<Measured<'a>>,
    /// Mutants known to be equivalent: no test need run.
    listed: BTreeMap<String, String>,
}

impl<'a> Judge<'a> {
    fn new(tree: &'a Tree, plan: &'a Plan, probe: &'a Probe<'a>) -> Outcome<Self> {
        let mut suites = Vec::new();
        let is_wanted = |suite: &&Suite| plan.tests.is_empty() || plan.tests.contains(&suite.name);
        for suite in tree.suites.iter().filter(is_wanted) {
            let (begin, mut end) = (Instant::now(), None);
            let reached = reach::record(|list| {
                let limit = Duration::from_secs(plan.seconds);
                end = watch(command(suite, None).env(reach::VARIABLE, list), limit, |_| Next::GoOn);
                end
            })?;
            let (name, time) = (format!("{} {}", suite.package, suite.name), begin.elapsed());
            println!("{name}: {:.1} s, reaches {}", time.as_secs_f64(), reached.len());
            match end {
                Some(End::Success) => suites.push(Measured { suite, time, reached }),
                Some(End::TimedOut) => println!("left out, as it takes more than {} s: {name}", plan.seconds),
                _ => println!("left out, as it fails without mutants: {name}"),
            }
        }
        Ok(Judge { tree, plan, probe, suites, listed: survivors::load()? })
    }

    fn judge(&self, mutant: usize) -> Verdict {
        if !self.probe.changes(mutant) {
            return Verdict::NoChange;
        }
        if self.listed.contains_key(&self.tree.mutants[mutant].key) {
            return Verdict::Survived;
        }
        let own = self.tree.mutants[mutant].package;
        let rank = |measured: &Measured<'_>| match () {
            () if measured.suite.package == own && measured.time < MIN_TIME => Rank::Own,
            () if measured.suite.name == "filetests" => Rank::FileTests,
            () => Rank::Other,
        };
        let mut runs: Vec<(Rank, &Measured<'_>, Option<String>)> = Vec::new();
        for measured in self.suites.iter().filter(|measured| measured.reached.contains(&mutant)) {
            let rank = rank(measured);
            let folder = self.folder_of_pass(mutant).filter(|_| rank == Rank::FileTests);
            runs.extend(folder.map(|folder| (Rank::FileTestsOfPass, measured, Some(folder))));
            runs.push((rank, measured, None));
        }
        runs.sort_by_key(|(rank, measured, _)| (*rank, measured.time));
        let failing = runs.into_iter().find(|(_, measured, filter)| {
            let mut command = command(measured.suite, filter.as_deref());
            activate(&mut command, Some(mutant));
            fails(&mut command, measured.time * PATIENCE + MIN_TIME)
        });
        match failing {
            Some((_, measured, _)) => {
                Verdict::Caught(format!("{} {}", measured.suite.package, measured.suite.name))
            }
            None => self.prove(mutant),
        }
    }

    /// What the prover says of one that no test sees, if it is asked.
    fn prove(&self, mutant: usize) -> Verdict {
        let Some(seconds) = self.plan.prove else { return Verdict::Survived };
        match proof::find(self.tree, self.probe, mutant, seconds) {
            Finding::Different(what) => Verdict::Disproven(what),
            Finding::Equivalent(n_codes) => Verdict::Proven(n_codes),
            Finding::Open(reason) => {
                println!("open: {reason}");
                Verdict::Survived
            }
        }
    }

    /// The folder of file tests about the pass that a mutant is in.
    fn folder_of_pass(&self, mutant: usize) -> Option<String> {
        let key = self.tree.mutants[mutant].key.as_str();
        let path = Path::new(key.split(' ').next()?);
        let names = path.with_extension("");
        let names = names.iter().rev().take(2).filter_map(|name| name.to_str());
        let folders = std::fs::read_dir(root().join("tests/filetests")).ok()?;
        let folders: Vec<_> = folders.filter_map(|folder| Some(folder.ok()?.path())).collect();
        let mut names = names.map(|name| name.replace('_', "-"));
        names.find(|name| folders.iter().any(|folder| folder.join(name).is_dir()))
    }
}

/// Whether a test fails, or runs on. Nothing is waited for after the first one that does.
fn fails(command: &mut Command, limit: Duration) -> bool {
    let is_failed = |line: &str| line.starts_with("test ") && line.ends_with("FAILED");
    let end = watch(command, limit, |line| if is_failed(line) { Next::Stop } else { Next::GoOn });
    end != Some(End::Success)
}

fn command(suite: &Suite, filter: Option<&str>) -> Command {
    let mut command = bounded(&suite.program);
    command.args(filter).current_dir(&suite.folder).env("RUST_TEST_THREADS", "1").env("RUST_BACKTRACE", "0");
    if let Some(corpus) = corpus().and_then(|corpus| corpus.canonicalize().ok()) {
        command.env("CAIRN_CORPUS", corpus);
    }
    command
}
