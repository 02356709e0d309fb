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
