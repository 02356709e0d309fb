//! The probe (`examples/fingerprint.rs` of the driver): which inputs reach a mutant, and which
//! codes made of them change.

use super::reach;
use super::tree::{Tree, activate};
use super::watch::{End, Next, bounded, watch};
use crate::project::{Outcome, corpus, files, root, write};
use flate2::read::GzDecoder;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Contracts of the corpus that the probe compiles beside the file tests and examples: every so many.
const EVERY: usize = 40;

/// How long inputs that a mutant reaches are compiled in search of one of which the code changes. They
/// are taken from the quickest to the slowest.
const SEARCH: Duration = Duration::from_secs(3);

/// How much longer than without mutant an input may take, and for how long at least.
const PATIENCE: u32 = 8;
const MIN_TIME: Duration = Duration::from_secs(3);

/// Levels, and the literal stackifier: the names that the probe gives them. Users meet the first ones most.
const WAYS: [&str; 6] = ["2", "s", "3", "1", "0", "spec"];

/// Code that a mutant changes: the input, and one of the `WAYS`.
pub(super) struct Changed<'a> {
    pub(super) path: &'a Path,
    pub(super) way: &'static str,
}

/// What the probe says of an input without mutants.
struct Input {
    path: PathBuf,
    fingerprint: String,
    time: Duration,
    reached: BTreeSet<usize>,
}

/// The probe and its inputs, from the quickest to the slowest.
pub(super) struct Probe<'a> {
    program: &'a Path,
    inputs: Vec<Input>,
}

impl<'a> Probe<'a> {
    /// Runs it on each input.
    pub(super) fn new(tree: &'a Tree) -> Outcome<Self> {
        let program = tree.probe.as_path();
        let mut inputs = Vec::new();
        for path in paths()? {
            let (begin, mut fingerprint) = (Instant::now(), String::new());
            let reached = reach::record(|list| {
                let mut command = bounded(program);
                command.arg(&path).env(reach::VARIABLE, list);
                watch(&mut command, Duration::from_mins(10), |line| {
                    line.clone_into(&mut fingerprint);
                    Next::GoOn
                })
            })?;
            if !fingerprint.is_empty() {
                inputs.push(Input { path, fingerprint, time: begin.elapsed(), reached });
            }
        }
        inputs.sort_by_key(|input| input.time);
        let time: Duration = inputs.iter().map(|input| input.time).sum();
        println!("probe: {} inputs in {:.1} s", inputs.len(), time.as_secs_f64());
        Ok(Probe { program, inputs })
    }

    /// All mutants that some input reaches.
    pub(super) fn reached(&self) -> BTreeSet<usize> {
        self.inputs.iter().flat_map(|input| &input.reached).copied().collect()
    }

    /// Whether the code of an input changes, as far as is found in time.
    pub(super) fn changes(&self, mutant: usize) -> bool {
        self.compare(mutant, |input, line| if input.fingerprint == line { Next::GoOn } else { Next::Stop })
    }

    /// Codes that change, one of an input, of so many inputs at most.
    pub(super) fn changed(&self, mutant: usize, most: usize) -> Vec<Changed<'_>> {
        let mut found = Vec::new();
        self.compare(mutant, |input, line| {
            let way = WAYS.into_iter().find(|way| part(&input.fingerprint, way) != part(line, way));
            found.extend(way.map(|way| Changed { path: &input.path, way }));
            if found.len() < most { Next::GoOn } else { Next::Stop }
        });
        found
    }

    /// Compiles inputs that the mutant reaches for some time. True if it is ended, or the program ends, before all are
    /// compiled.
    fn compare<'b>(&'b self, mutant: usize, mut on_line: impl FnMut(&'b Input, &str) -> Next) -> bool {
        let mut time = Duration::ZERO;
        let reaching = self.inputs.iter().filter(|input| input.reached.contains(&mutant));
        let chosen: Vec<&Input> = reaching
            .take_while(|input| {
                let is_early = time < SEARCH;
                time += input.time;
                is_early
            })
            .collect();
        let mut command = bounded(self.program);
        command.args(chosen.iter().map(|input| &input.path));
        activate(&mut command, Some(mutant));
        let mut inputs = chosen.into_iter();
        let end = watch(&mut command, time * PATIENCE + MIN_TIME, |line| {
            inputs.next().map_or(Next::Stop, |input| on_line(input, line))
        });
        end != Some(End::Success)
    }
}

/// What a fingerprint says of one way to compile.
fn part<'a>(fingerprint: &'a str, way: &str) -> Option<&'a str> {
    fingerprint.split(' ').find_map(|part| part.strip_prefix(way)?.strip_prefix(':'))
}

/// Files that the probe compiles.
fn paths() -> Outcome<Vec<PathBuf>> {
    let mut paths = files(&root().join("tests/filetests"), &["yul", "eir"])?;
    paths.extend(files(&root().join("examples"), &["yul", "eir"])?);
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
            paths.push(path);
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_told_apart() {
        let line = "0:aa 2:bb s:cc spec:dd";
        assert_eq!(
            ["2", "s", "spec", "3"].map(|way| part(line, way)),
            [Some("bb"), Some("cc"), Some("dd"), None]
        );
    }
}
