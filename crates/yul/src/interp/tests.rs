//! Tests of the interpreter.

use cairn_diag::FileId;

use super::*;
use crate::parse;

fn run_with(text: &str, world: &World, limits: &Limits) -> Outcome {
    let dialect = Dialect::default();
    let parsed = parse(text, FileId(0), &dialect);
    assert!(!parsed.diagnostics.has_errors(), "{:?}", parsed.diagnostics);
    run(&parsed.object.expect("a tree"), &dialect, world, limits)
}

fn outcome(text: &str) -> Outcome {
    run_with(text, &World::default(), &Limits::default())
}

/// Storage as pairs of small numbers.
fn storage(text: &str) -> Vec<(u64, u64)> {
    outcome(text).storage.iter().map(|(slot, value)| (slot.to(), value.to())).collect()
}

#[test]
fn arguments_are_evaluated_from_right_to_left() {
    let text = "{ function f(x) -> r { sstore(add(x, 10), sload(0)) sstore(0, add(sload(0), 1)) r := x } \
                pop(add(f(1), f(2))) }";
    assert_eq!(storage(text), [(0, 2), (11, 1)]);
}

#[test]
fn continue_runs_the_post_block() {
    let text = "{ for { let i := 0 } lt(i, 5) { i := add(i, 1) } { if eq(i, 2) { continue } sstore(i, 7) if eq(i, 3) { break } } }";
    assert_eq!(storage(text), [(0, 7), (1, 7), (3, 7)]);
}

#[test]
fn variables_are_zero_again_in_each_round() {
    let text = "{ for { let i := 1 } lt(i, 4) { i := add(i, 1) } { let x sstore(i, add(x, 1)) x := 9 } }";
    assert_eq!(storage(text), [(1, 1), (2, 1), (3, 1)]);
}

#[test]
fn functions_of_different_blocks_may_share_a_name() {
    let text = "{ { function f() { sstore(1, 1) } f() } { function f() { sstore(2, 2) } f() } }";
    assert_eq!(storage(text), [(1, 1), (2, 2)]);
}

#[test]
fn leave_returns_what_is_set() {
    let text = "{ function f() -> a, b { a := 1 leave b := 2 } let x, y := f() sstore(x, add(y, 5)) }";
    assert_eq!(storage(text), [(1, 5)]);
}

#[test]
fn ends_are_told_apart() {
    let ends = ["{ }", "{ stop() }", "{ revert(0, 0) }", "{ invalid() }", "{ verbatim_0i_0o(\"x\") }"];
    let found: Vec<End> = ends.iter().map(|text| outcome(text).end).collect();
    assert_eq!(found, [End::Finished, End::Terminated, End::Reverted, End::Failed, End::Unsupported]);
    assert_eq!(outcome("{ returndatacopy(0, 0, 1) }").end, End::Failed);
}

#[test]
fn returned_data_is_kept() {
    let found = outcome("{ mstore(0, 0x1234) return(30, 2) }");
    assert_eq!(
        (found.returndata.as_slice(), found.trace.as_slice()),
        (&[0x12, 0x34][..], &["RETURN(30, 2) [1234]".to_owned()][..])
    );
}

#[test]
fn every_run_ends() {
    assert_eq!(outcome("{ for {} 1 {} {} }").end, End::StepLimit);
    assert_eq!(outcome("{ for {} 1 {} { log0(0, 0) } }").end, End::TraceLimit);
    assert_eq!(outcome("{ function f() { f() } f() }").end, End::DepthLimit);
    let deep =
        format!("{{ function f() -> r {{ r := {}f(){} }} pop(f()) }}", "not(".repeat(900), ")".repeat(900));
    assert_eq!(outcome(&deep).end, End::DepthLimit);
    let limits = Limits { expression: 3, ..Limits::default() };
    assert_eq!(run_with("{ pop(add(1, 2)) }", &World::default(), &limits).end, End::ExpressionLimit);
}

#[test]
fn a_failed_call_of_oneself_is_undone() {
    let text = "{ if calldatasize() { sstore(1, 1) if sub(calldatasize(), 1) { revert(0, 0) } return(0, 0) } \
                sstore(2, call(gas(), address(), 0, 0, 2, 0, 0)) sstore(3, call(gas(), address(), 0, 0, 1, 0, 0)) }";
    let world = World { external_calls: ExternalCalls::RunOwnCode, ..World::default() };
    let found = run_with(text, &world, &Limits::default()).storage;
    let found: Vec<(u64, u64)> = found.iter().map(|(slot, value)| (slot.to(), value.to())).collect();
    assert_eq!(found, [(1, 1), (3, 1)]);
}
