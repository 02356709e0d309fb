//! `cairn prove` on loops whose number of rounds depends on the input: what does the same in every round
//! is proven, what does not in one of them is not; of a source and code, and of two codes. Without a solver nothing of
//! it is shown.

#![allow(clippy::print_stdout, reason = "tests say what they skip")]

#[path = "common/prove.rs"]
mod prove;

use prove::{code, has_solver, verdict};

/// Seconds: what is proven is so in one, on an idle machine.
const TIME: &str = "20";
/// Seconds for what is not to be proven: a false proof takes no longer than a right one.
const SHORT_TIME: &str = "2";

/// A program is proven against its own code, but not against that of others, which differ in one place
/// each: what is replaced by what.
#[track_caller]
fn only_itself(program: &str, others: &[(&str, &str)]) {
    if !has_solver("loops are not proven") {
        return;
    }
    for level in ["-O0", "-O2"] {
        assert_eq!(
            verdict("yul", &["--timeout", TIME, level], program, program),
            "proven",
            "{level} {program}"
        );
    }
    no_other(program, others);
    let codes = ["-O0", "-O2"].map(|level| code(level, program));
    assert_eq!(verdict("hex", &["--timeout", TIME], &codes[0], &codes[1]), "proven", "codes: {program}");
}

/// A program is not proven against others, which differ in one place each.
#[track_caller]
fn no_other(program: &str, others: &[(&str, &str)]) {
    if !has_solver("loops are not proven") {
        return;
    }
    for (old, new) in others {
        assert!(program.contains(old), "{old}");
        let other = program.replace(old, new);
        let found = verdict("yul", &["--timeout", SHORT_TIME, "-O2"], program, &other);
        let kinds = ["undecided", "different", "bounded"];
        let is_proven = |found: &str| !kinds.iter().any(|kind| found.starts_with(kind));
        assert!(!is_proven(&found), "`{new}` for `{old}`: {found}");
        let found = verdict("hex", &["--timeout", SHORT_TIME], &code("-O0", program), &code("-O2", &other));
        assert!(!is_proven(&found), "codes, `{new}` for `{old}`: {found}");
    }
}

/// Rounds that go two ways back, both of which write what the loop was not known to write.
#[test]
fn ways_back() {
    let program = "{
        let n := calldataload(0)
        for { let i := 0 } lt(i, n) { i := add(i, 1) } {
            switch and(calldataload(i), 1)
            case 0 { sstore(0, add(sload(0), 1)) }
            default { sstore(0, add(sload(0), 2)) }
        }
    }";
    let others =
        [("add(sload(0), 2)", "add(sload(0), 3)"), ("and(calldataload(i), 1)", "and(calldataload(i), 3)")];
    only_itself(program, &others);
}

#[test]
fn sums() {
    let program = "{
        let n := calldataload(0)
        let s := 5
        for { let i := 0 } lt(i, n) { i := add(i, 1) } { s := add(s, sload(mul(i, 3))) }
        sstore(not(0), s)
    }";
    only_itself(
        program,
        &[
            ("lt(i, n)", "lt(i, sub(n, 1))"),
            ("lt(i, n)", "iszero(gt(i, n))"),
            ("let i := 0", "let i := 1"),
            ("add(i, 1)", "add(i, 2)"),
            ("mul(i, 3)", "mul(i, 4)"),
            ("let s := 5", "let s := 6"),
            ("s := add(s, sload(mul(i, 3)))", "s := add(s, sload(mul(i, 3))) if eq(i, 7) { s := 0 }"),
            ("s := add(s, sload(mul(i, 3)))", "s := add(s, sload(mul(i, 3))) if eq(i, 7) { break }"),
            ("s := add(s, sload(mul(i, 3)))", "s := add(s, sload(mul(i, 3))) if eq(i, 70) { invalid() }"),
            ("sstore(not(0), s)", "sstore(not(0), add(s, eq(n, 9)))"),
            // A number of eight bits wraps.
            ("add(i, 1)", "and(add(i, 1), 0xff)"),
        ],
    );
}

#[test]
fn memory_at_places_that_change() {
    let program = "{
        mstore(0x20, 77)
        let n := calldataload(0)
        for { let i := 0 } lt(i, n) { i := add(i, 1) } {
            mstore(add(0x80, mul(i, 0x20)), calldataload(add(4, mul(i, 0x20))))
        }
        mstore(0x40, mload(0x20))
        return(0x40, add(0x40, mul(n, 0x20)))
    }";
    only_itself(
        program,
        &[
            ("add(0x80, mul(i, 0x20)),", "add(0x80, mul(i, 0x40)),"),
            ("add(0x80, mul(i, 0x20)),", "add(0xa0, mul(i, 0x20)),"),
            ("add(4, mul(i, 0x20))", "add(5, mul(i, 0x20))"),
            ("mstore(add(0x80,", "mstore(0x20, i) mstore(add(0x80,"),
            ("mstore(add(0x80,", "mstore(mul(i, 2), 0) mstore(add(0x80,"),
            ("mstore(add(0x80,", "mstore8(sub(0x3f, i), 1) mstore(add(0x80,"),
            ("mstore(add(0x80,", "mstore(and(calldataload(i), 0xff), 0) mstore(add(0x80,"),
            ("mload(0x20)", "mload(0x21)"),
            ("return(0x40, add(0x40, mul(n, 0x20)))", "return(0x40, add(0x20, mul(n, 0x20)))"),
        ],
    );
}

#[test]
fn storage_at_keys_that_change() {
    let program = "{
        sstore(5, 7)
        sstore(6, 8)
        let n := calldataload(0)
        for { let i := 0 } lt(i, n) { i := add(i, 1) } {
            sstore(calldataload(i), i)
            sstore(6, add(sload(6), i))
        }
        mstore(0, sload(5))
        return(0, 32)
    }";
    only_itself(
        program,
        &[
            ("sload(5)", "7"),
            ("sstore(calldataload(i), i)", "sstore(calldataload(i), add(i, 1))"),
            ("sstore(calldataload(i), i)", "sstore(calldataload(add(i, 1)), i)"),
            ("sstore(calldataload(i), i)", ""),
            ("sstore(6, add(sload(6), i))", "sstore(6, add(sload(6), 1))"),
            ("sstore(6, add(sload(6), i))", ""),
            // The order counts where the keys can be the same.
            (
                "sstore(calldataload(i), i)\n            sstore(6, add(sload(6), i))",
                "sstore(6, add(sload(6), i)) sstore(calldataload(i), i)",
            ),
        ],
    );
}

#[test]
fn one_key_in_every_round() {
    let program = "{
        let n := calldataload(0)
        for { let i := 0 } lt(i, n) { i := add(i, 1) } { sstore(1, xor(sload(1), calldataload(i))) }
        mstore(0, sload(2))
        return(0, 32)
    }";
    only_itself(
        program,
        &[
            ("sload(2)", "sload(1)"),
            ("xor(sload(1),", "or(sload(1),"),
            ("sstore(1, xor", "sstore(2, xor"),
            (
                "{ sstore(1, xor(sload(1), calldataload(i))) }",
                "{ sstore(1, xor(sload(1), calldataload(i))) sstore(2, 0) }",
            ),
        ],
    );
}

#[test]
fn calls_and_logs() {
    let program = "{
        let n := calldataload(0)
        let t := number()
        let g := 0
        for { let i := 0 } lt(i, n) { i := add(i, 1) } {
            mstore(0, i)
            log1(0, 32, 11)
            g := call(gas(), calldataload(add(32, i)), 0, 0, 32, 0, 32)
            if iszero(g) { revert(0, 0) }
        }
        sstore(t, mload(0))
    }";
    only_itself(
        program,
        &[
            ("sstore(t,", "sstore(number(),"),
            ("log1(0, 32, 11)", ""),
            ("log1(0, 32, 11)", "log1(0, 32, 12)"),
            ("log1(0, 32, 11)", "log1(0, 32, add(11, eq(i, 3)))"),
            ("0, 0, 32, 0, 32)", "i, 0, 32, 0, 32)"),
            ("0, 0, 32, 0, 32)", "0, 0, 32, 0, 31)"),
            ("mload(0)", "sub(n, 1)"),
            ("if iszero(g) { revert(0, 0) }", "if iszero(g) { break }"),
            ("mstore(0, i)\n            log1(0, 32, 11)", "log1(0, 32, 11) mstore(0, i)"),
        ],
    );
}

/// Bounded so far.
#[test]
fn loops_in_loops() {
    let program = "{
        let n := calldataload(0)
        let s := 0
        for { let i := 0 } lt(i, n) { i := add(i, 1) } {
            let m := calldataload(i)
            for { let j := 0 } lt(j, m) { j := add(j, 1) } { s := add(mul(s, 3), sload(add(i, j))) }
            sstore(i, s)
        }
    }";
    only_itself(
        program,
        &[
            ("let j := 0", "let j := i"),
            ("lt(j, m)", "lt(j, n)"),
            ("mul(s, 3)", "mul(s, 5)"),
            ("sstore(i, s)", "sstore(i, m)"),
            ("sload(add(i, j))", "sload(add(i, n))"),
        ],
    );
}

#[test]
fn loops_that_are_left_in_the_middle() {
    let program = "{
        let n := calldataload(0)
        let i := 0
        for { } 1 { i := add(i, 1) } {
            if iszero(lt(i, n)) { break }
            if eq(sload(i), 9) { break }
            if eq(sload(i), 8) { continue }
            if eq(sload(i), 7) { mstore(0, i) return(0, 32) }
            sstore(i, 1)
        }
        sstore(99, i)
    }";
    only_itself(
        program,
        &[
            ("eq(sload(i), 9)", "eq(sload(i), 10)"),
            ("eq(sload(i), 8) { continue }", "eq(sload(i), 8) { break }"),
            (
                "eq(sload(i), 7) { mstore(0, i) return(0, 32) }",
                "eq(sload(i), 7) { mstore(0, i) revert(0, 32) }",
            ),
            ("eq(sload(i), 7) { mstore(0, i)", "eq(sload(i), 7) { mstore(0, n)"),
            ("sstore(i, 1)", "sstore(i, 2)"),
            ("sstore(99, i)", "sstore(99, n)"),
        ],
    );
}

/// Code may go around without the test that its first round begins with: what the test says does not hold there.
#[test]
fn rounds_that_skip_the_test() {
    if !has_solver("loops are not proven") {
        return;
    }
    let with = |word: &str| {
        format!(
            "PUSH0 CALLDATALOAD PUSH0
            head: DUP2 DUP2 LT PUSH body JUMPI STOP
            body: {word} DUP2 NOT SSTORE PUSH 1 ADD DUP1 SLOAD PUSH 7 EQ PUSH body JUMPI PUSH head JUMP"
        )
    };
    let (one, two_behind_the_end) = (with("PUSH 1"), with("DUP2 DUP2 LT ISZERO PUSH 1 ADD"));
    let found = verdict("asm", &["--timeout", TIME], &one, &two_behind_the_end);
    assert!(found.starts_with("different"), "{found}");
    let found = verdict("asm", &["--timeout", TIME], &one, &one);
    assert!(found.starts_with("bounded") || found == "proven", "{found}");
}

/// What only rounds do behind which there is another one is not seen where the loop ends, but is compared in each round.
#[test]
fn rounds_that_are_never_the_last() {
    let with = |round: &str, end: &str| {
        format!(
            "{{ let n := calldataload(0) let s := 0 if gt(n, 1000) {{ revert(0, 0) }}
                for {{ let i := 0 }} lt(i, n) {{ i := add(i, 1) }} {{ if lt(add(i, 1), n) {{ {round} }} }}
                {end} }}"
        )
    };
    let programs = [
        with("log1(0, 0, xor(i, 0))", ""),
        with("pop(call(5000, xor(i, 0), 0, 0, 0, 0, 0))", ""),
        with("sstore(i, xor(i, 0))", ""),
        with("tstore(i, xor(i, 0))", ""),
        with("mstore(mul(i, 32), xor(i, 0))", "return(0, mul(n, 32))"),
        with("s := add(s, xor(i, 0))", "sstore(0, s)"),
    ];
    for program in programs {
        only_itself(&program, &[("xor(i, 0)", "xor(i, eq(i, 5))")]);
    }
}

/// Gas that is left is another number each time that it is asked for.
#[test]
fn gas_is_not_the_same_in_two_rounds() {
    let program = "{
        let g := gas()
        let n := calldataload(0)
        for { let i := 0 } lt(i, n) { i := add(i, 1) } { g := gas() log0(0, 0) }
        sstore(0, g)
    }";
    only_itself(program, &[("g := gas() log0(0, 0)", "log0(0, 0)")]);
}

/// Each round has rounds, whose number depends on the input, too: it is not known when the loop around is looked at.
#[test]
fn loops_in_loops_with_effects() {
    let program = "{
        let n := calldataload(0)
        let s := 0
        for { let i := 0 } lt(i, n) { i := add(i, 1) } {
            let m := calldataload(i)
            for { let j := 0 } lt(j, m) { j := add(j, 1) } {
                s := add(s, mul(i, sload(j)))
                sstore(j, s)
            }
            log1(0, 0, s)
        }
        sstore(not(0), s)
    }";
    only_itself(
        program,
        &[
            ("mul(i, sload(j))", "mul(i, sload(add(j, 1)))"),
            ("let j := 0", "let j := eq(i, 9)"),
            ("add(j, 1)", "add(j, 2)"),
            ("lt(j, m)", "lt(j, sub(m, eq(i, 7)))"),
            ("sstore(j, s)", "sstore(j, s) if eq(j, 70) { break }"),
            ("log1(0, 0, s)", "if m { log1(0, 0, s) }"),
            ("log1(0, 0, s)", "log1(0, 0, s) if eq(m, 99) { i := add(i, 1) }"),
            // With more the inner rounds are so many that no gas is enough (A12).
            ("sstore(not(0), s)", "sstore(not(0), add(s, eq(n, 3)))"),
        ],
    );
}

/// The number of rounds in the first round is fixed; only in a general one it shows that there is a loop.
#[test]
fn loops_that_show_in_later_rounds() {
    let program = "{
        let n := calldataload(0)
        let p := 3
        for { let i := 0 } lt(i, n) { i := add(i, 1) } {
            for { let j := 0 } lt(j, p) { j := add(j, 1) } { sstore(j, calldataload(j)) }
            p := sload(i)
        }
    }";
    only_itself(
        program,
        &[
            ("let p := 3", "let p := 4"),
            ("sload(i)", "sload(add(i, 1))"),
            ("sload(i)", "add(sload(i), eq(i, 4))"),
            ("sstore(j, calldataload(j))", "sstore(add(j, 1), calldataload(j))"),
            ("lt(j, p)", "lt(j, add(p, eq(p, 50)))"),
            ("sstore(j, calldataload(j))", "sstore(j, add(calldataload(j), eq(j, 11)))"),
        ],
    );
}

/// What inner rounds write to memory is read by the outer ones, and given back behind them.
#[test]
fn memory_of_loops_in_loops() {
    let program = "{
        let n := and(calldataload(0), 0xffff)
        let at := 0x80
        for { let i := 0 } lt(i, n) { i := add(i, 1) } {
            let m := and(calldataload(i), 0xff)
            mstore(at, m)
            at := add(at, 0x20)
            for { let j := 0 } lt(j, m) { j := add(j, 1) } {
                mstore(at, calldataload(add(i, j)))
                at := add(at, 0x20)
            }
        }
        log0(0x80, sub(at, 0x80))
    }";
    no_other(
        program,
        &[
            ("mstore(at, m)", "mstore(at, add(m, eq(i, 6)))"),
            ("calldataload(add(i, j))", "calldataload(add(i, add(j, 1)))"),
            ("calldataload(add(i, j))", "add(calldataload(add(i, j)), eq(j, 60))"),
            ("mstore(at, calldataload(add(i, j)))", "mstore(add(at, 1), calldataload(add(i, j)))"),
            ("log0(0x80,", "log0(0xa0,"),
            ("let m := and(calldataload(i), 0xff)", "let m := and(calldataload(i), 0x7f)"),
        ],
    );
}
