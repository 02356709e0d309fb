//! Recompiles bytecode and compares the behaviour of the original and the result.
//!
//! Programs of the corpus' state tests run with their recorded state and calldata, real contracts
//! with calls to each selector, semantic tests with their recorded calls after their runtime code
//! was lifted. Without a corpus the suite says so and passes; by default it takes a sample, the
//! ignored tests take everything and print figures. `CAIRN_RECOMPILE_STEP` takes every n-th row, of
//! contracts after the first `CAIRN_RECOMPILE_FIRST`: several runs can share the work.

#![allow(clippy::print_stdout, reason = "tests say what they skip and measure")]

mod contracts;
mod creation;
mod figures;
mod rows;
mod semantic;
mod state;
mod yul;

use cairn_bytecode::Role;
use cairn_driver::{Level, Options, Recompiled, Session};
use cairn_evm::Fork;
use contracts::Part;

/// Code to code that should behave the same.
type Compile = fn(&[u8], Option<Role>, Fork) -> Recompiled;

fn recompile(code: &[u8], role: Option<Role>, fork: Fork) -> Recompiled {
    let options = Options { level: Level::Os, fork, ..Options::default() };
    let mut session = Session::default();
    cairn_driver::recompile(code, role, &options, &mut session)
        .unwrap_or_else(|failure| panic!("{failure:?}: {}", cairn_evm::hex::encode(code)))
}

/// Of arguments, value and storage.
const COMBINATIONS: usize = 50;

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(default)
}

fn step() -> usize {
    number("CAIRN_RECOMPILE_STEP", 1)
}

/// The contracts that the environment asks for.
fn part() -> Part {
    Part { first: number("CAIRN_RECOMPILE_FIRST", 0), step: step() }
}

#[test]
fn a_sample_of_state_tests_behaves_as_before() {
    for (name, step) in [("edge-cases", 1), ("statetests-vm", 60), ("statetests-more", 900)] {
        let Some(figures) = state::compare_file(name, step) else { return };
        figures.print(name);
        assert!(figures.wrong.is_empty());
        assert!(figures.codes > figures.recompiled / 2 && figures.equal > 0);
    }
}

#[test]
fn a_sample_of_contracts_behaves_as_before() {
    let Some(figures) = contracts::compare(recompile, Part { first: 0, step: 600 }, 2) else { return };
    figures.print("contracts");
    assert!(figures.wrong.is_empty() && figures.equal > 50);
}

#[test]
fn a_sample_of_built_programs_lifts_to_itself() {
    let Some(figures) = semantic::compare(semantic::force, "semantic-dev", Level::O2, 200) else { return };
    figures.print("semantic-dev");
    assert!(figures.wrong.is_empty() && figures.equal > 3);
}

#[test]
fn creation_code_deploys_as_before() {
    let figures = creation::compare_own(recompile);
    figures.print("own creation codes");
    // Only the one that reads itself at places that it computes is left as it is.
    assert!(figures.wrong.is_empty() && figures.recompiled * 6 >= figures.codes * 5);
    assert_eq!(creation::unopened_immutables(recompile), [""; 0]);
}

#[test]
fn a_sample_of_recorded_creation_code_deploys_as_before() {
    let Some(figures) = creation::compare_scenarios(recompile, 7) else { return };
    figures.print("scenarios");
    assert!(figures.wrong.is_empty() && figures.equal > 0);
    let Some(figures) = creation::compare_built(recompile, "semantic-dev", Level::O2, 41) else { return };
    figures.print("semantic-dev");
    assert!(figures.wrong.is_empty() && figures.equal > 0);
}

#[test]
#[ignore = "long; run with --release"]
fn all_creation_code() {
    let Some(figures) = creation::compare_scenarios(recompile, step()) else { return };
    figures.print("scenarios");
    assert!(figures.wrong.is_empty());
    for level in [Level::O0, Level::O2, Level::Os] {
        let Some(figures) = creation::compare_built(recompile, "semantic-dev", level, step()) else { return };
        figures.print(&format!("semantic-dev -O{level}"));
        assert!(figures.wrong.is_empty());
    }
}

#[test]
#[ignore = "long; run with --release"]
fn all_state_tests() {
    let names = [
        "edge-cases",
        "statetests-vm",
        "statetests-more",
        "vmtests-legacy",
        "fixtures-revmc",
        "fixtures-ipsilon",
    ];
    let all: Vec<_> =
        names.iter().filter_map(|name| Some((name, state::compare_file(name, step())?))).collect();
    all.iter().for_each(|(name, figures)| figures.print(name));
    assert!(all.iter().all(|(_, figures)| figures.wrong.is_empty()));
}

#[test]
#[ignore = "long; run with --release"]
fn all_contracts() {
    let Some(figures) = contracts::compare(recompile, part(), COMBINATIONS) else { return };
    figures.print("contracts");
    assert!(figures.wrong.is_empty());
}

#[test]
#[ignore = "long; run with --release"]
fn calls_execute_what_was_executed() {
    let Some((found, all)) = contracts::count_edges(part(), COMBINATIONS) else { return };
    println!("{found} of {all} executed edges are executed by the calls of `all_contracts`");
    assert!(found * 4 > all * 3);
}

#[test]
#[ignore = "long; run with --release"]
fn all_built_programs() {
    for level in [Level::O0, Level::O2] {
        for name in ["semantic-dev", "semantic-extra-dev"] {
            let Some(figures) = semantic::compare(semantic::force, name, level, step()) else { return };
            figures.print(&format!("{name} -O{level}"));
            assert!(figures.wrong.is_empty());
        }
    }
}
