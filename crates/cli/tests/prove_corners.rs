//! Pairs of small programs at the corners of the EVM: each does the same as another that says it in other words, and not the
//! same as a third that is right almost everywhere.
//!
//! What is done before and behind loops and calls has pairs in `prove_apart`, numbers of other widths in `prove_widths`.

#![allow(clippy::print_stdout, reason = "tests say what they skip")]

#[path = "common/prove.rs"]
mod prove;

use prove::{has_solver, verdict};

/// With seconds: what is proven is so in a tenth of one.
const OPTIONS: [&str; 6] = ["--timeout", "3", "--jobs", "1", "--reduce", "0"];

/// The first program is proven to do what the second does, and what the third does not.
///
/// Each is what is done to `r`, which is returned, with three words of calldata.
#[track_caller]
fn is_only(first: &str, same: &str, others: &[&str]) {
    if !has_solver("pairs are not compared") {
        return;
    }
    let program = |body: &str| {
        format!(
            "{{ let x := calldataload(0) let y := calldataload(32) let z := calldataload(64) let r := 0
                {body}
                mstore(0, r) return(0, 32) }}"
        )
    };
    assert_eq!(verdict("yul", &OPTIONS, &program(first), &program(same)), "proven", "{same}");
    for other in others {
        let found = verdict("yul", &OPTIONS, &program(first), &program(other));
        let is_open = ["undecided", "different"].iter().any(|kind| found.starts_with(kind));
        assert!(is_open, "`{other}` for `{first}`: {found}");
    }
}

/// The same of words alone.
#[track_caller]
fn is_word(first: &str, same: &str, others: &[&str]) {
    let others: Vec<String> = others.iter().map(|other| format!("r := {other}")).collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    is_only(&format!("r := {first}"), &format!("r := {same}"), &others);
}

#[test]
fn returned_data() {
    let with = |rest: &str| format!("pop(call(gas(), x, 0, 0, 0, 0, 0)) {rest}");
    let copied = with("returndatacopy(0, 0, 32) r := mload(0)");
    let checked = |end: &str| {
        with(&format!("if lt(returndatasize(), 32) {{ {end} }} returndatacopy(0, 0, 32) r := mload(0)"))
    };
    let further = checked("invalid()").replace("(), 32)", "(), 33)");
    is_only(&copied, &checked("invalid()"), &[&checked("revert(0, 0)"), &checked("stop()"), &further]);
    is_only("returndatacopy(0, 0, 0)", "", &["returndatacopy(0, 1, 0)", "returndatacopy(0, 0, 1)"]);
    is_only("returndatacopy(0, not(0), 1)", "invalid()", &["", "revert(0, 0)"]);
    let output = "mstore(0, 7) pop(call(gas(), x, 0, 0, 0, 0, 32)) r := mload(0)";
    let by_hand = "mstore(0, 7) pop(call(gas(), x, 0, 0, 0, 0, 0)) let n := returndatasize()
        if gt(n, 32) { n := 32 } returndatacopy(0, 0, n) r := mload(0)";
    let only_whole = by_hand.replace("if gt(n, 32) { n := 32 }", "if iszero(eq(n, 32)) { n := 0 }");
    let only_if_it_succeeds =
        by_hand.replace("pop(call(gas(), x, 0, 0, 0, 0, 0))", "if call(gas(), x, 0, 0, 0, 0, 0) {");
    is_only(output, by_hand, &[&only_whole, &format!("{only_if_it_succeeds} }}")]);
}

/// The EVM takes 160 bits of a word that names an account, and all of every other.
#[test]
fn bits_that_name_an_account() {
    let masked = |bits: u32| format!("and(x, sub(shl({bits}, 1), 1))");
    let asked =
        ["call(gas(), #, 0, 0, 0, 0, 0)", "staticcall(gas(), #, 0, 0, 0, 0)", "balance(#)", "extcodesize(#)"];
    for ask in asked {
        let of = |account: &str| ask.replace('#', account);
        is_word(&of("x"), &of(&masked(160)), &[&of(&masked(159)), &of("and(x, not(1))")]);
    }
    is_only("selfdestruct(x)", "selfdestruct(or(x, shl(160, y)))", &["selfdestruct(or(x, shl(159, y)))"]);
    is_word(
        "call(gas(), 1, 7, 0, 0, 0, 0)",
        "call(gas(), 1, 7, 0, 0, 0, 0)",
        &["call(gas(), 1, or(7, shl(160, 1)), 0, 0, 0, 0)", "call(or(gas(), shl(160, 1)), 1, 7, 0, 0, 0, 0)"],
    );
    is_word("sload(x)", "sload(x)", &["sload(and(x, sub(shl(160, 1), 1)))"]);
}

#[test]
fn copies_onto_themselves() {
    let with = |copy: &str| format!("mstore(0, x) mstore(32, y) {copy}");
    let up = |bytes: &str| with(&format!("for {{ let i := {bytes} }} r := mload(1)"));
    is_only(
        &with("mcopy(1, 0, 32) r := mload(1)"),
        &up("32 } i { i := sub(i, 1) } { mstore8(i, byte(0, mload(sub(i, 1))))"),
        &[&up("0 } lt(i, 32) { i := add(i, 1) } { mstore8(add(i, 1), byte(0, mload(i)))")],
    );
    is_only(
        &with("mcopy(16, 0, 32) r := mload(16)"),
        "r := x",
        &[&with("mcopy(16, 0, 31) r := mload(16)"), &with("mcopy(0, 16, 32) r := mload(16)")],
    );
    is_only("mcopy(not(0), 0, 0)", "", &["mcopy(0, 0, 0) r := 1"]);
    is_only(
        "mstore(0, x) mstore8(31, or(y, 0x100)) r := mload(0)",
        "mstore(0, x) mstore8(31, and(y, 0xff)) r := mload(0)",
        &["mstore(0, x) mstore8(30, y) r := mload(0)", "mstore(0, x) mstore8(31, or(y, 0x80)) r := mload(0)"],
    );
}

#[test]
fn signs_and_remainders() {
    is_word("smod(x, not(0))", "0", &["smod(x, 2)"]);
    is_word("sdiv(shl(255, 1), not(0))", "shl(255, 1)", &["not(shl(255, 1))", "0"]);
    is_word("signextend(31, x)", "x", &["signextend(30, x)"]);
    is_word("signextend(not(0), x)", "x", &["signextend(0, x)"]);
    is_word("addmod(x, y, 0)", "0", &["add(x, y)"]);
    is_word("mulmod(x, y, 0)", "0", &["mul(x, y)"]);
    is_word("exp(x, 2)", "mul(x, x)", &["exp(x, 3)", "exp(2, x)"]);
}

#[test]
fn positions_and_amounts_past_the_end() {
    is_word("byte(31, x)", "and(x, 255)", &["byte(30, x)", "byte(y, x)"]);
    is_word("byte(32, x)", "0", &["byte(31, x)"]);
    is_word("shl(256, x)", "0", &["shl(255, x)", "shl(0, x)"]);
    is_word("shr(not(0), x)", "0", &["shr(255, x)"]);
    is_word("sar(256, x)", "sar(255, x)", &["sar(254, x)", "shr(255, x)"]);
    is_word("shl(y, x)", "shl(y, x)", &["shl(and(y, 255), x)", "shl(and(y, 511), x)"]);
    is_word("sar(y, x)", "sar(y, x)", &["sar(and(y, 255), x)"]);
}

#[test]
fn data_behind_its_end() {
    let before = "r := calldataload(sub(calldatasize(), 1))";
    let anywhere = "r := calldataload(add(calldatasize(), y))";
    is_only("r := calldataload(calldatasize())", "", &[before, anywhere]);
    is_only("r := calldataload(add(calldatasize(), and(y, 255)))", "", &[anywhere]);
    let copied = |from: &str| format!("mstore(0, x) calldatacopy(and(y, 31), {from}, 32) r := mload(32)");
    let cleared = "if and(y, 31) { r := 0 }";
    let others = [copied("sub(calldatasize(), 1)"), copied("and(z, calldatasize())")];
    is_only(&copied("calldatasize()"), cleared, &others.each_ref().map(String::as_str));
}
