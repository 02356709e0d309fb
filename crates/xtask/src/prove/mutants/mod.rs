//! `prove --mutants`: real code with one byte changed, which the prover has to find.
//!
//! Programs are compiled and deployed, a call is drawn, an instruction that it executes, and a byte of
//! that is changed. The code and the changed code are proven against each other, for the function that
//! was called. A change is not equivalent if one of the recorded calls of that function, each on the chain
//! before it, does something else, or if the prover shows inputs on which both were run and did. A proof
//! of such a change is a fault of the prover, and fails the task.

mod judge;
mod programs;
mod site;

use super::verdict::{Verdict, weakest};
use super::watch;
use crate::project::Outcome;
use crate::random::Random;
use cairn_evm::hex;
use judge::{Fate, Fates};
use programs::Deployed;
use site::Change;
use std::path::Path;
use std::process::Command;

/// Draws that give no change, for one that does.
const MAX_DRAWS: usize = 50;

/// What to change, and how to prove.
pub(super) struct Plan<'a> {
    pub(super) count: usize,
    pub(super) seed: u64,
    pub(super) cairn: &'a Path,
    pub(super) level: &'a str,
    pub(super) seconds: &'a str,
    pub(super) filter: &'a str,
    /// Changes of a hundred that have to be found.
    pub(super) floor: usize,
}

/// Code, changed code, and the function that was called.
struct Mutant<'a> {
    deployed: &'a Deployed,
    changed: Vec<u8>,
    selector: Option<&'a [u8]>,
}

/// Changes bytes and counts what becomes of them.
pub(super) fn run(plan: &Plan<'_>) -> Outcome {
    let programs = programs::load(plan.filter)?;
    if programs.is_empty() {
        return Err(format!("no program with calls has `{}` in its name", plan.filter));
    }
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut random = Random::new(plan.seed);
    let (mut fates, mut done) = (Fates::default(), 0);
    for _ in 0..plan.count * MAX_DRAWS {
        if done == plan.count {
            break;
        }
        let program = &programs[random.below(programs.len())];
        let Some(deployed) = program.deployed(plan.cairn, plan.level, scratch.path())? else { continue };
        let call = &deployed.calls[random.below(deployed.calls.len())];
        let offsets = site::executed(&deployed, call);
        if offsets.is_empty() {
            continue;
        }
        let change = site::change(&deployed.code, &offsets, &mut random);
        let mut changed = deployed.code.clone();
        let old = std::mem::replace(&mut changed[change.offset], change.byte);
        // What has no dispatcher is proven as a whole.
        let selector = call.message.data.get(..4).filter(|_| program.has_functions());
        let tests = judge::run(&deployed, &changed, selector);
        let (verdict, reason) =
            prove(plan, scratch.path(), &Mutant { deployed: &deployed, changed, selector })?;
        let fate = Fate::of(tests, verdict);
        fates.add(fate, &change);
        done += 1;
        print(&program.name, selector, old, &change, fate, &reason);
    }
    println!("\n{fates}");
    outcome(&fates, plan.floor)
}

fn print(name: &str, selector: Option<&[u8]>, old: u8, change: &Change, fate: Fate, reason: &str) {
    let function = selector.map_or("program".to_owned(), hex::encode);
    let Change { offset, byte, .. } = change;
    println!("{fate:?}  {name} {function} at {offset}: {old:#04x} to {byte:#04x}  {reason}");
}

fn outcome(fates: &Fates, floor: usize) -> Outcome {
    match fates.count(Fate::Fault) {
        0 if fates.share() < floor as f64 => Err(format!("fewer than {floor} of a hundred were found")),
        0 => Ok(()),
        faults => Err(format!("{faults} changes were proven equal that are not")),
    }
}

/// Asks the prover; the weakest of the verdicts on functions, or a difference in any.
fn prove(plan: &Plan<'_>, scratch: &Path, mutant: &Mutant<'_>) -> Outcome<(Verdict, String)> {
    let paths = ["code.hex", "changed.hex"].map(|name| scratch.join(name));
    for (path, code) in paths.iter().zip([&mutant.deployed.code, &mutant.changed]) {
        std::fs::write(path, hex::encode(code)).map_err(|error| error.to_string())?;
    }
    let mut command = Command::new(plan.cairn);
    command.args(["prove", "--quiet", "--format", "json", "--jobs", "1", "--timeout", plan.seconds]);
    if let Some(selector) = mutant.selector {
        command.args(["--function", &hex::encode(selector)]);
    }
    let seen = watch::run({
        command.args(&paths);
        command
    })?;
    Ok(weakest(&seen.output)
        .unwrap_or_else(|| (Verdict::Undecided, format!("no report: {}", seen.errors.trim()))))
}
