//! What the prover says of mutants that the tests let pass: codes that change are proven against the sources that they
//! are made of.
//!
//! The prover is that of the mutated program, as a user has it: what it believes lies in none of the areas that have
//! mutants. A difference was run on both and shows that the mutant is a fault; so does code that is no longer made.
//! Where all codes that can be decided are proven, the mutant is equivalent in all that is seen of it. Codes that are
//! not proven without the mutant either say nothing.

use super::probe::{Changed, Probe};
use super::tree::{Tree, activate};
use super::watch::{End, Next, bounded, watch};
use crate::prove::verdict::{Verdict, weakest};
use std::process::Command;
use std::time::Duration;

/// Codes that are proven of a mutant, at most.
const MAX_CODES: usize = 12;

/// Within which a code is proven, whatever functions it has.
const LIMIT: Duration = Duration::from_mins(1);

/// What came out for a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// Code and source differ where this was compiled, or there is no code.
    Different(String),
    /// So many codes change, and all are proven.
    Equivalent(usize),
    /// This is not decided.
    Open(String),
}

/// What is found of a code.
enum Code {
    Different,
    Proven,
    Open(String),
    /// Nor is it proven without the mutant.
    Undecidable,
}

/// Proves codes that a mutant changes, up to the first that differs.
pub(super) fn find(tree: &Tree, probe: &Probe<'_>, mutant: usize, seconds: u64) -> Finding {
    sum(probe.changed(mutant, MAX_CODES).into_iter().map(|changed| {
        let name = format!("{} {}", changed.path.display(), changed.way);
        (name, prove(tree, mutant, &changed, seconds))
    }))
}

/// What codes say together, by name.
fn sum(codes: impl Iterator<Item = (String, Code)>) -> Finding {
    let (mut open, mut n_proven) = (None, 0);
    for (name, code) in codes {
        match code {
            Code::Different => return Finding::Different(name),
            Code::Proven => n_proven += 1,
            Code::Open(reason) => open = Some(format!("{name}: {reason}")),
            Code::Undecidable => {}
        }
    }
    match open {
        Some(reason) => Finding::Open(reason),
        None if n_proven == 0 => Finding::Open("no code that can be decided".to_owned()),
        None => Finding::Equivalent(n_proven),
    }
}

fn prove(tree: &Tree, mutant: usize, changed: &Changed<'_>, seconds: u64) -> Code {
    let mutant = Some(mutant);
    match verdict(tree, mutant, changed, seconds) {
        Some((Verdict::Different, _)) => Code::Different,
        Some((Verdict::Proven, _)) => Code::Proven,
        None if !compiles(tree, mutant, changed) && compiles(tree, None, changed) => Code::Different,
        found => match verdict(tree, None, changed, seconds) {
            Some((Verdict::Proven, _)) => {
                Code::Open(found.map_or("no report".to_owned(), |(_, reason)| reason))
            }
            _ => Code::Undecidable,
        },
    }
}

/// The weakest of the verdicts on the functions of a code; `None` without a report, in time.
fn verdict(
    tree: &Tree,
    mutant: Option<usize>,
    changed: &Changed<'_>,
    seconds: u64,
) -> Option<(Verdict, String)> {
    let mut command = command("prove", tree, mutant, changed);
    command.args(["--format", "json", "--jobs", "1", "--reduce", "0", "--timeout", &seconds.to_string()]);
    let mut report = String::new();
    let end = watch(&mut command, LIMIT, |line| {
        report.push_str(line);
        Next::GoOn
    });
    if end == Some(End::TimedOut) { None } else { weakest(&report) }
}

fn compiles(tree: &Tree, mutant: Option<usize>, changed: &Changed<'_>) -> bool {
    let end = watch(&mut command("build", tree, mutant, changed), LIMIT, |_| Next::GoOn);
    end == Some(End::Success)
}

/// A command of the program, with a mutant or without one.
fn command(name: &str, tree: &Tree, mutant: Option<usize>, changed: &Changed<'_>) -> Command {
    let mut command = bounded(&tree.program);
    command.args([name, "--quiet"]).arg(changed.path);
    match changed.way {
        "spec" => command.args(["-O0", "--spec"]),
        level => command.arg(format!("-O{level}")),
    };
    activate(&mut command, mutant);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_difference_is_enough_and_what_is_not_decided_counts_where_it_could_be() {
        let open = || Code::Open("time".to_owned());
        let found = |codes: Vec<Code>| sum((0..).map(|index: usize| index.to_string()).zip(codes));
        assert_eq!(found(vec![open(), Code::Different, open()]), Finding::Different("1".to_owned()));
        assert_eq!(found(vec![Code::Proven, Code::Undecidable, Code::Proven]), Finding::Equivalent(2));
        assert_eq!(found(vec![Code::Proven, open()]), Finding::Open("1: time".to_owned()));
        for codes in [vec![], vec![Code::Undecidable]] {
            assert_eq!(found(codes), Finding::Open("no code that can be decided".to_owned()));
        }
    }
}
