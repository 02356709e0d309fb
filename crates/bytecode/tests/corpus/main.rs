//! The analysis against what contracts really did, and against their compilers' facts.
//!
//! Data is found by `CAIRN_CORPUS` or beside the repository; without it the tests say so and pass.
//! By default every 60th contract is looked at; the ignored tests look at all and print the table
//! of figures that docs/bytecode.md explains.

#![allow(clippy::print_stdout, reason = "a test says what it skips and measures")]

#[path = "../common/mod.rs"]
mod common;
mod contracts;
mod functions;
mod selectors;

#[test]
fn a_sample_of_contracts_is_covered() {
    let Some(figures) = contracts::measure(60) else { return };
    assert_eq!(figures.missing, 0, "{:?}", figures.uncovered);
    assert!(figures.contracts > 20 && figures.edges > 10_000);
    assert_eq!(figures.dead_without_proof, 0, "unreached blocks of closed programs have a class");
}

#[test]
fn functions_of_a_sample_are_found() {
    let Some(figures) = functions::measure(60) else { return };
    assert!(figures.recall() > 0.97, "{}", figures.line());
    assert!(figures.precision() > 0.95, "{}", figures.line());
}

#[test]
fn selectors_of_a_sample_are_found() {
    let Some(figures) = selectors::measure(20) else { return };
    assert!(figures.recall() > 0.99, "{}", figures.line());
    assert!(figures.precision() > 0.99, "{}", figures.line());
    assert!(figures.payable_right() > 0.98, "{}", figures.line());
}

#[test]
#[ignore = "minutes of work in the dev profile; run with --release"]
fn all_selectors() {
    let Some(figures) = selectors::measure(1) else { return };
    println!("{}", figures.line());
    figures.faults.iter().for_each(|line| println!("{line}"));
}

#[test]
#[ignore = "minutes of work in the dev profile; run with --release"]
fn all_contracts() {
    let Some(mut figures) = contracts::measure(1) else { return };
    figures.print();
    assert_eq!(figures.missing, 0);
    assert_eq!(figures.dead_without_proof, 0);
}

#[test]
#[ignore = "minutes of work in the dev profile; run with --release"]
fn all_functions() {
    let Some(figures) = functions::measure(1) else { return };
    println!("{}", figures.line());
    figures.print_faults();
}
