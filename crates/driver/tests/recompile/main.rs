//! Recompiles bytecode and compares the behaviour of the original and the result.
//!
//! Programs of the corpus' state tests run with their recorded state and calldata, real contracts
//! with calls to each selector, semantic tests with their recorded calls after their runtime code
//! was lifted. Without a corpus the suite says so and passes; by default it takes a sample, the
//! ignored tests take everything and print figures. `CAIRN_RECOMPILE_STEP` takes every n-th row.

#![allow(clippy::print_stdout, reason = "tests say what they skip and measure")]

mod contracts;
mod figures;
mod rows;
mod semantic;
mod state;

use cairn_driver::{Level, Options, Recompiled, Session};

fn recompile(code: &[u8]) -> Recompiled {
    let mut session = Session::new(Options { level: Level::Os, ..Options::default() });
    session.recompile(code).unwrap_or_else(|failure| panic!("{failure:?}: {}", cairn_evm::hex::encode(code)))
}

fn step() -> usize {
    std::env::var("CAIRN_RECOMPILE_STEP").ok().and_then(|step| step.parse().ok()).unwrap_or(1)
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
    let Some(figures) = contracts::compare(600, 2) else { return };
    figures.print("contracts");
    assert!(figures.wrong.is_empty() && figures.equal > 50);
}

#[test]
fn a_sample_of_built_programs_lifts_to_itself() {
    let Some(figures) = semantic::compare("semantic-dev", 200) else { return };
    figures.print("semantic-dev");
    assert!(figures.wrong.is_empty() && figures.equal > 3);
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
    let Some(figures) = contracts::compare(step(), 20) else { return };
    figures.print("contracts");
    assert!(figures.wrong.is_empty());
}

#[test]
#[ignore = "long; run with --release"]
fn all_built_programs() {
    for name in ["semantic-dev", "semantic-extra-dev"] {
        let Some(figures) = semantic::compare(name, step()) else { return };
        figures.print(name);
        assert!(figures.wrong.is_empty());
    }
}
