//! Programs that do the same in another way: `cairn prove` shows it, and of those that differ by a hair it
//! does not. Words under keys that may be the same, words that overlap, products. Without a solver nothing of it
//! is shown.

#![allow(clippy::print_stdout, reason = "tests say what they skip")]

#[path = "common/prove.rs"]
mod prove;

use prove::{has_solver, verdict};

/// With seconds: what is proven is so in one, on an idle machine.
const OPTIONS: [&str; 4] = ["--timeout", "20", "--jobs", "1"];

/// In a program a part can be replaced by some, but not by others.
#[track_caller]
fn replaces(program: &str, old: &str, by: &[&str], not_by: &[&str]) {
    if !has_solver("words are not compared") {
        return;
    }
    assert_eq!(program.matches(old).count(), 1, "`{old}` is in it once");
    for new in by {
        assert_eq!(
            verdict("yul", &OPTIONS, program, &program.replace(old, new)),
            "proven",
            "`{new}` for `{old}`"
        );
    }
    for new in not_by {
        let found = verdict("yul", &OPTIONS, program, &program.replace(old, new));
        assert!(!found.starts_with("proven"), "`{new}` for `{old}`: {found}");
    }
}

const TRANSFER: &str = "{
    let from := calldataload(0)
    let to := calldataload(32)
    let x := calldataload(64)
    if lt(sload(key(from, 1)), x) { revert(0, 0) }
    sstore(key(from, 1), sub(sload(key(from, 1)), x))
    sstore(key(to, 1), add(sload(key(to, 1)), x))
    sstore(key(to, key(from, 2)), x)
    function key(a, b) -> k { mstore(0, a) mstore(32, b) k := keccak256(0, 64) }
}";

/// Words of a mapping: keys may be the same, keys of another mapping are not.
#[test]
fn words_of_mappings() {
    let both = "sstore(key(from, 1), sub(sload(key(from, 1)), x))
    sstore(key(to, 1), add(sload(key(to, 1)), x))";
    let (once, early) = (
        "let f := sload(key(from, 1))
        let at := key(to, 1)
        sstore(key(from, 1), sub(f, x))
        switch eq(from, to) case 0 { sstore(at, add(sload(at), x)) } default { sstore(at, f) }",
        "let t := sload(key(to, 1))
        sstore(key(from, 1), sub(sload(key(from, 1)), x))
        sstore(key(to, 1), add(t, x))",
    );
    let crossed = "sstore(key(to, 1), add(sload(key(to, 1)), x))
        sstore(key(from, 1), sub(sload(key(from, 1)), x))";
    let past = crossed.replace("key(from, 1)", "key(from, 3)");
    replaces(TRANSFER, both, &[once, crossed], &[early, &past]);
    let check = "lt(sload(key(from, 1)), x)";
    replaces(
        TRANSFER,
        check,
        &["iszero(iszero(gt(x, sload(key(from, 1)))))"],
        &[
            "gt(x, sub(sload(key(from, 1)), 1))",
            "lt(sload(key(from, 1)), add(x, 1))",
            "slt(sload(key(from, 1)), x)",
        ],
    );
    let last = "sstore(key(to, key(from, 2)), x)";
    replaces(TRANSFER, last, &[], &["sstore(key(from, key(to, 2)), x)", "sstore(key(to, key(from, 1)), x)"]);
}

/// Words of calldata that overlap have bytes in common.
#[test]
fn words_that_overlap() {
    let program = "{
        let p := and(calldataload(0), 0xffff)
        sstore(0, byte(5, calldataload(p)))
    }";
    let later = |place: u64, index: u64| format!("byte({index}, calldataload(add(p, {place})))");
    let byte = "byte(5, calldataload(p))";
    let [same, other, next] = [later(3, 2), later(3, 3), later(6, 0)];
    let shifted = "shr(248, calldataload(add(p, 5)))";
    replaces(program, byte, &[&same, shifted], &[&other, &next]);
}

/// Products and quotients of the same words are the same, of others nobody knows.
#[test]
fn products() {
    let program = "{
        let x := calldataload(0)
        let y := calldataload(32)
        let z := calldataload(64)
        if eq(y, z) { sstore(0, div(mul(x, y), 7)) sstore(1, mod(x, y)) }
        if lt(x, y) { sstore(2, lt(div(y, z), x)) }
    }";
    let quotient = "div(mul(x, y), 7)";
    replaces(program, quotient, &["div(mul(z, x), 7)"], &["mul(div(x, 7), y)", "div(mul(x, y), 8)"]);
    replaces(program, "mod(x, y)", &["mod(x, z)"], &["mod(y, x)"]);
}

/// Places in memory that are rounded.
#[test]
fn rounded_places() {
    let program = "{
        let n := and(calldataload(0), 0xffff)
        let m := and(calldataload(32), 0xffff)
        let p := add(128, and(add(mul(n, 32), 63), not(31)))
        mstore(p, 7)
        mstore(add(160, mul(n, 32)), m)
        sstore(mload(p), mload(add(p, 32)))
    }";
    let place = "and(add(mul(n, 32), 63), not(31))";
    replaces(
        program,
        place,
        &["add(mul(n, 32), 32)", "and(add(mul(n, 32), 32), not(31))"],
        &[
            "and(add(mul(n, 32), 64), not(31))",
            "and(add(mul(n, 31), 63), not(31))",
            "and(add(mul(n, 32), 63), not(63))",
        ],
    );
    replaces(program, "mload(p)", &["m"], &["7", "n"]);
}

/// What a call returned, in part or whole, before what was there.
#[test]
fn words_that_are_returned() {
    let program = "{
        mstore(0, calldataload(0))
        let done := staticcall(gas(), calldataload(32), 0, 0, 0, 32)
        sstore(0, mload(0))
    }";
    let call = "staticcall(gas(), calldataload(32), 0, 0, 0, 32)";
    let copied = |copy: &str| format!("staticcall(gas(), calldataload(32), 0, 0, 0, 0) {copy}");
    let right = "switch lt(returndatasize(), 32)
        case 1 { returndatacopy(0, 0, returndatasize()) }
        default { returndatacopy(0, 0, 32) }";
    let [short, past, late, whole] = [
        "if gt(returndatasize(), 31) { returndatacopy(0, 0, 32) }",
        &right.replace("returndatasize(), 32)", "returndatasize(), 31)"),
        &right.replace("returndatacopy(0, 0, 32)", "returndatacopy(0, 1, 31)"),
        &right.replace("returndatacopy(0, 0, returndatasize())", ""),
    ]
    .map(copied);
    replaces(program, call, &[&copied(right)], &[&short, &past, &late, &whole]);
}

/// Bytes of any number, at any place.
#[test]
fn bytes_of_unknown_number() {
    let program = "{
        let at := and(calldataload(0), 0xffff)
        let n := and(calldataload(32), 0xffff)
        mstore(128, n)
        calldatacopy(160, at, n)
        mstore(add(160, n), 0)
        log1(128, add(n, 32), 1)
    }";
    let copy = "mstore(128, n)
        calldatacopy(160, at, n)
        mstore(add(160, n), 0)
        log1(128, add(n, 32), 1)";
    let other = "calldatacopy(96, at, n) mstore(64, n) log1(64, add(n, 32), 1)";
    let faults = [
        other.replace("mstore(64, n)", "mstore(65, n)"),
        other.replace("(96, at, n)", "(96, add(at, 1), n)"),
        other.replace("(96, at, n)", "(96, at, sub(n, 1))"),
        other.replace("mstore(64, n)", "mstore8(add(95, n), 0) mstore(64, n)"),
        other.replace("add(n, 32)", "add(n, 31)"),
    ];
    let faults: Vec<&str> = faults.iter().map(String::as_str).collect();
    replaces(program, copy, &[other], &faults);
}

/// Bytes of a word that was checked, with and without a mask, before bytes of any number.
#[test]
fn masked_words_before_bytes() {
    let mask = |bits: usize| format!("sub(shl({bits}, 1), 1)");
    let with = |check: &str| {
        format!(
            "{{
                let x := calldataload(0)
                let n := and(calldataload(32), 0xffff)
                {check}
                mstore(128, and(x, {}))
                calldatacopy(160, 64, n)
                log1(128, add(n, 32), 1)
            }}",
            mask(160)
        )
    };
    let masked = format!("and(x, {})", mask(160));
    let other = |word: &str, bits: usize| format!("and({word}, {})", mask(bits));
    let [wider, narrower, by_bytes] = [161, 159, 152].map(|bits| other("x", bits));
    let [next, last, length, shifted] =
        ["calldataload(1)", "calldataload(31)", "n", "shl(8, x)"].map(|word| other(word, 160));
    let wrong = [
        narrower.as_str(),
        &by_bytes,
        &next,
        &last,
        &length,
        &shifted,
        "calldataload(1)",
        "and(x, not(1))",
        "and(x, not(shl(159, 1)))",
        "shr(1, x)",
        "shr(8, x)",
        "shl(96, x)",
        "not(x)",
        "add(x, 1)",
        "or(x, 1)",
        "or(x, shl(160, 1))",
        "0",
    ];
    replaces(&with("if shr(160, x) { revert(0, 0) }"), &masked, &["x", &wider], &wrong);
    replaces(&with("if shr(159, x) { revert(0, 0) }"), &masked, &["x", &narrower], &[&by_bytes]);
    let too_weak = [
        "",
        "if shr(161, x) { revert(0, 0) }",
        "if shr(160, calldataload(1)) { revert(0, 0) }",
        "if iszero(shr(160, x)) { revert(0, 0) }",
        "if calldataload(96) { if shr(160, x) { revert(0, 0) } }",
        "if and(x, shl(160, 1)) { revert(0, 0) }",
    ];
    too_weak.into_iter().for_each(|check| replaces(&with(check), &masked, &[], &["x"]));
}
