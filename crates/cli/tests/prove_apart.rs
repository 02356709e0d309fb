//! What differs in one thing that others see is never proven: pairs of small programs, made by somebody who wants the
//! prover to say something wrong. Of each program alone it is proven that it is the same as itself, unless a test says
//! that this is beyond the prover.
//!
//! Loops and functions that call themselves have pairs of their own in `prove_loops` and `prove_recursion`; here are those
//! of what is done before and behind them, of positions at the ends of spaces, and of all that a machine may mix up.

#![allow(clippy::print_stdout, reason = "tests say what they skip")]

#[path = "common/prove.rs"]
mod prove;

use prove::{code, has_solver, verdict};

/// With seconds: what is proven is so in a tenth of one.
const OPTIONS: [&str; 6] = ["--timeout", "3", "--jobs", "1", "--reduce", "0"];

/// The program is proven against itself, and with each of the changes it is not.
#[track_caller]
fn is_told_apart(program: &str, changes: &[(&str, &str)]) {
    if !has_solver("pairs are not compared") {
        return;
    }
    assert_eq!(verdict("yul", &OPTIONS, program, program), "proven", "{program}");
    is_never_proven(program, changes);
}

/// With each of the changes the program is not proven, not even for few rounds of its loops; nor is its code.
#[track_caller]
fn is_never_proven(program: &str, changes: &[(&str, &str)]) {
    if !has_solver("pairs are not compared") {
        return;
    }
    for (right, wrong) in changes {
        assert_eq!(program.matches(right).count(), 1, "`{right}` is in it once");
        let other = program.replace(right, wrong);
        let is_open = |found: &str| ["undecided", "different"].iter().any(|kind| found.starts_with(kind));
        let found = verdict("yul", &OPTIONS, program, &other);
        assert!(is_open(&found), "`{wrong}` for `{right}`: {found}");
        // What is put into code later is not in its digits.
        if !program.starts_with("object") {
            let found = verdict("hex", &OPTIONS, &code("-O0", program), &code("-O2", &other));
            assert!(is_open(&found), "codes, `{wrong}` for `{right}`: {found}");
        }
    }
}

/// A loop of at least one round, so that no path is without it: what was done before is compared before it.
#[test]
fn what_is_done_before_a_loop() {
    let with = |before: &str| {
        format!(
            "{{ let n := calldataload(0) if iszero(n) {{ revert(0, 0) }}
                {before}
                let s := 0
                for {{ let i := 0 }} lt(i, n) {{ i := add(i, 1) }} {{ s := add(s, sload(i)) }}
                mstore(0, s) return(0, 32) }}"
        )
    };
    is_told_apart(&with("log1(0, 0, 5)"), &[("log1(0, 0, 5)", "log1(0, 0, 6)"), ("log1(0, 0, 5)", "")]);
    is_told_apart(
        &with("log0(0, 0) log1(0, 0, 6)"),
        &[("log0(0, 0) log1(0, 0, 6)", "log1(0, 0, 6) log0(0, 0)")],
    );
    let call = with("mstore(0, 7) sstore(7, 1) pop(call(gas(), 1, 2, 0, 32, 0, 0)) sstore(7, 3)");
    let changes = [
        ("1, 2, 0, 32", "1, 3, 0, 32"),
        ("1, 2, 0, 32", "2, 2, 0, 32"),
        ("1, 2, 0, 32", "1, 2, 0, 31"),
        ("mstore(0, 7)", "mstore(0, 8)"),
        ("sstore(7, 1)", "sstore(7, 2)"),
        ("sstore(7, 3)", "sstore(7, 1)"),
    ];
    is_told_apart(&call, &changes);
    let asked = with("pop(staticcall(gas(), 1, 0, 0, 0, 0))");
    is_told_apart(&asked, &[("gas(), 1", "gas(), 2"), ("pop(staticcall(gas(), 1, 0, 0, 0, 0))", "")]);
    is_told_apart(&with("sstore(9, sload(9))"), &[("sstore(9, sload(9))", "")]);
}

/// What two loops, and rounds of two loops, do between them.
#[test]
fn what_is_done_between_loops() {
    let program = "{
        let n := calldataload(0) let m := calldataload(32) if iszero(m) { revert(0, 0) }
        for { let i := 0 } lt(i, n) { i := add(i, 1) } {
            log1(0, 0, i)
            for { let j := 0 } lt(j, m) { j := add(j, 1) } { sstore(j, i) }
            log1(0, 0, m)
        } }";
    is_never_proven(
        program,
        &[("log1(0, 0, i)", "log1(0, 0, add(i, 1))"), ("log1(0, 0, m)", "log1(0, 0, i)")],
    );
    let program = "{
        let n := calldataload(0) if iszero(n) { revert(0, 0) }
        let i := 0 for { } lt(i, n) { i := add(i, 1) } { sstore(i, 1) }
        log1(0, 0, 7)
        let j := 0 for { } lt(j, n) { j := add(j, 1) } { sstore(j, 2) } }";
    is_never_proven(program, &[("log1(0, 0, 7)", "log1(0, 0, 8)"), ("log1(0, 0, 7)", "")]);
}

/// What is behind a loop of what was before it: words and answers that are others in each round.
#[test]
fn what_loops_change() {
    let with = |round: &str, end: &str| {
        format!(
            "{{ let n := calldataload(0) if iszero(n) {{ revert(0, 0) }}
                let b := selfbalance() let t := sload(3) let w := mload(96) let s := 0
                for {{ let i := 0 }} lt(i, n) {{ i := add(i, 1) }} {{ {round} }}
                mstore(0, {end}) return(0, 32) }}"
        )
    };
    let calls = with("pop(call(gas(), i, 1, 0, 0, 0, 0))", "selfbalance()");
    is_told_apart(&calls, &[("mstore(0, selfbalance())", "mstore(0, b)")]);
    let sizes = with("pop(call(gas(), i, 1, 0, 0, 0, 0))", "returndatasize()");
    is_told_apart(&sizes, &[("returndatasize()", "0")]);
    // Read before the call of the round, behind those of the rounds before.
    let early = with(
        "s := add(s, selfbalance()) s := add(s, returndatasize()) pop(call(gas(), i, 1, 0, 0, 0, 0))",
        "s",
    );
    is_told_apart(&early, &[("add(s, selfbalance())", "add(s, b)"), ("s := add(s, returndatasize())", "")]);
    let sums = with("pop(call(gas(), i, 0, 0, 0, 0, 0)) s := add(s, sload(3))", "s");
    is_told_apart(&sums, &[("add(s, sload(3))", "add(s, t)")]);
    let stores = with("sstore(add(i, 2), 5) s := add(s, sload(3))", "s");
    is_told_apart(&stores, &[("add(s, sload(3))", "add(s, t)")]);
    let writes = with("mstore(mul(i, 32), 5) s := add(s, mload(96))", "s");
    is_never_proven(&writes, &[("add(s, mload(96))", "add(s, w)")]);
    // Only the last word is right.
    let words = with("mstore(mul(i, 32), add(i, 1))", "keccak256(0, mul(n, 32))");
    is_told_apart(&words, &[("add(i, 1))", "add(i, eq(add(i, 1), n)))")]);
    let turns = with("let u := s s := t t := u", "s");
    is_told_apart(&turns, &[("mstore(0, s)", "mstore(0, t)")]);
    let static_frames = with("s := add(s, i) if eq(i, 5) { sstore(0, sload(0)) }", "s");
    is_told_apart(&static_frames, &[("if eq(i, 5) { sstore(0, sload(0)) }", "")]);
}

/// Behind the last position of data is nothing, not its beginning.
#[test]
fn positions_do_not_wrap() {
    let copied = "{ calldatacopy(0, not(15), 32) mstore(0, mload(16)) return(0, 32) }";
    let first = "and(calldataload(0), shl(128, not(0)))";
    is_told_apart(copied, &[("mload(16)", first), ("not(15)", "0")]);
    let given = "{ let x := calldataload(32) if lt(x, not(31)) { revert(0, 0) }
        calldatacopy(0, x, 64) mstore(0, mload(32)) return(0, 32) }";
    is_told_apart(given, &[("mload(32)", "calldataload(add(x, 32))")]);
    // The word at the last position is 0, whatever the first byte is.
    let words = "{ let x := calldataload(32) if iszero(eq(x, not(0))) { revert(0, 0) }
        if iszero(byte(0, calldataload(0))) { revert(0, 0) }
        sstore(0, iszero(calldataload(x))) }";
    is_never_proven(words, &[("iszero(calldataload(x))", "0")]);
    // A word of memory that begins with another one is no word of calldata before its beginning.
    let joined = "{ let x := calldataload(32) if gt(x, 2) { revert(0, 0) }
        calldatacopy(3, x, 29) mstore(0, shr(24, shl(24, mload(0)))) return(0, 32) }";
    is_never_proven(joined, &[("mload(0)", "calldataload(sub(x, 3))")]);
    let code = "{ codecopy(0, not(15), 32) return(16, 16) }";
    is_told_apart(code, &[("codecopy(0, not(15), 32)", "codecopy(16, 0, 16)")]);
    let other = "{ extcodecopy(calldataload(0), 0, not(15), 32) return(16, 16) }";
    is_told_apart(other, &[("0, not(15), 32", "16, 0, 16")]);
    let end = "{ pop(call(gas(), 1, 0, 0, 0, 0, 0)) returndatacopy(0, not(0), 1) return(0, 32) }";
    is_never_proven(end, &[("returndatacopy(0, not(0), 1)", "")]);
}

/// Where nothing is long, nothing is touched, however far up.
#[test]
fn nothing_at_an_address_out_of_reach() {
    let uses = [
        "calldatacopy(x, 0, y)",
        "codecopy(x, 0, y)",
        "mcopy(0, x, y)",
        "mcopy(x, 0, y)",
        "log0(x, y)",
        "sstore(1, keccak256(x, y))",
        "pop(staticcall(gas(), 1, x, y, 0, 0))",
        "pop(staticcall(gas(), 1, 0, 0, x, y))",
        "if y { return(x, y) }",
    ];
    for used in uses {
        let program = format!("{{ let x := calldataload(0) let y := calldataload(32) {used} sstore(0, 1) }}");
        is_told_apart(&program, &[(used, &format!("if shr(64, x) {{ sstore(0, 2) stop() }} {used}"))]);
    }
    let ends = "{ let x := calldataload(0) let y := calldataload(32) return(x, y) }";
    is_told_apart(ends, &[("return(x, y)", "if shr(64, x) { revert(x, y) } return(x, y)")]);
}

/// What halts because it touches memory at 2^64 or above is not what does not.
#[test]
fn memory_out_of_reach() {
    if !has_solver("pairs are not compared") {
        return;
    }
    // PUSH13 2^100.
    let far = "6c10000000000000000000000000";
    let touches = [
        format!("6001{far}52"),
        format!("6001{far}53"),
        format!("{far}5150"),
        format!("{far}5f2050"),
        format!("6001{far}2050"),
        format!("60015f{far}37"),
        format!("60015f{far}39"),
        format!("60015f{far}5e"),
        format!("6001{far}5f5e"),
        format!("6020{far}5f5f305afa50"),
    ];
    for touch in touches {
        let found = verdict("hex", &OPTIONS, "600160005500", &format!("{touch}600160005500"));
        let is_open = ["undecided", "different"].iter().any(|kind| found.starts_with(kind));
        assert!(is_open, "{touch}: {found}");
        // Nothing is known of a program that halts on all runs for want of gas.
        let found = verdict("hex", &OPTIONS, &format!("{touch}600160005500"), "600260005500");
        assert!(!found.starts_with("proven"), "{touch}: {found}");
    }
}

/// Calls, creations and what is known behind them.
#[test]
fn calls() {
    let program = "{ mstore(0, 7) let a := sload(0) let b := selfbalance() let h := extcodehash(1) let s := returndatasize()
        let t := tload(0) let time := timestamp()
        let done := call(gas(), 1, calldataload(0), 0, 32, 0, 32)
        mstore(32, done) mstore(64, sload(0)) mstore(96, selfbalance()) mstore(128, extcodehash(1))
        mstore(160, returndatasize()) mstore(192, tload(0)) mstore(224, timestamp())
        return(0, 256) }";
    let changes = [
        ("done)", "1)"),
        ("sload(0))", "a)"),
        ("selfbalance())", "b)"),
        ("extcodehash(1))", "h)"),
        ("returndatasize())", "s)"),
        ("tload(0))", "t)"),
        ("timestamp())", "time)"),
        (
            "call(gas(), 1, calldataload(0), 0, 32, 0, 32)",
            "callcode(gas(), 1, calldataload(0), 0, 32, 0, 32)",
        ),
        ("call(gas(), 1, calldataload(0), 0, 32, 0, 32)", "staticcall(gas(), 1, 0, 32, 0, 32)"),
        ("call(gas(), 1, calldataload(0), 0, 32, 0, 32)", "delegatecall(gas(), 1, 0, 32, 0, 32)"),
        ("0, 32, 0, 32)", "0, 32, 0, 31)"),
        ("0, 32, 0, 32)", "0, 31, 0, 32)"),
        ("call(gas()", "call(sub(gas(), 1)"),
        ("let done", "sstore(0, sload(0)) let done"),
    ];
    is_told_apart(program, &changes);
    // What was there stays behind an answer that is shorter.
    let short = "{ mstore(0, 7) pop(staticcall(gas(), 1, 0, 0, 0, 32)) return(0, 64) }";
    is_told_apart(short, &[("mstore(0, 7)", ""), ("0, 0, 0, 32", "0, 0, 0, 64")]);
    let past = "{ pop(staticcall(gas(), 1, 0, 0, 0, 0)) returndatacopy(0, 0, 32) return(0, 32) }";
    is_told_apart(past, &[("0, 0, 0, 0)) returndatacopy(0, 0, 32)", "0, 0, 0, 32))")]);
    let empty = "{ returndatacopy(0, calldataload(0), 0) stop() }";
    is_told_apart(empty, &[("returndatacopy(0, calldataload(0), 0)", "")]);
    // Precompiled contracts are accounts like others.
    let copied = "{ mstore(0, 5) pop(staticcall(gas(), 4, 0, 32, 32, 32)) return(0, 64) }";
    is_told_apart(
        copied,
        &[("4, 0", "3, 0"), ("32, 32, 32)", "32, 32, 31)"), ("mstore(0, 5)", "mstore(0, 4)")],
    );
}

#[test]
fn creations() {
    let program = "{ let a := sload(0) mstore(0, 1) let made := create2(1, 0, 32, 5)
        mstore(0, made) mstore(32, returndatasize()) mstore(64, sload(0)) mstore(96, extcodesize(made)) return(0, 128) }";
    let changes = [
        ("create2(1, 0, 32, 5)", "create2(2, 0, 32, 5)"),
        ("create2(1, 0, 32, 5)", "create2(1, 0, 32, 6)"),
        ("create2(1, 0, 32, 5)", "create2(1, 0, 31, 5)"),
        ("create2(1, 0, 32, 5)", "create(1, 0, 32)"),
        ("mstore(0, 1)", "mstore(0, 2)"),
        ("mstore(0, made)", "mstore(0, iszero(iszero(made)))"),
        ("mstore(32, returndatasize())", ""),
        ("mstore(64, sload(0))", "mstore(64, a)"),
        ("mstore(96, extcodesize(made))", ""),
    ];
    is_told_apart(program, &changes);
}

/// What is known of accounts, of state that others may change, and of what they gave back.
#[test]
fn accounts_behind_calls() {
    let with = |before: &str, word: &str| {
        format!(
            "{{ let x := calldataload(0) let y := calldataload(32) {before} mstore(0, {word}) return(0, 32) }}"
        )
    };
    let pairs = [
        ("let b := balance(x) pop(call(gas(), x, 1, 0, 0, 0, 0))", "balance(x)", "add(b, 1)"),
        ("let b := selfbalance() pop(call(gas(), x, 1, 0, 0, 0, 0))", "selfbalance()", "sub(b, 1)"),
        ("let c := create(0, 0, 0) let d := create2(0, 0, 0, x)", "eq(c, d)", "0"),
        ("let c := create(0, 0, 0) let d := create(0, 0, 0)", "c", "d"),
        ("let c := create2(0, 0, 0, x) let d := create2(0, 0, 0, y)", "c", "d"),
        ("let c := create(0, 0, 0)", "extcodesize(c)", "0"),
        ("let c := create(0, 0, 0)", "balance(c)", "0"),
        ("let c := create(0, 0, 0)", "returndatasize()", "0"),
        ("tstore(0, 1) let done := call(gas(), x, 0, 0, 0, 0, 0)", "tload(0)", "1"),
        (
            "tstore(0, 1) let done := call(gas(), x, 0, 0, 0, 0, 0)",
            "tload(0)",
            "add(done, mul(iszero(done), tload(0)))",
        ),
        ("tstore(x, 1) sstore(x, 2)", "tload(x)", "sload(x)"),
        ("sstore(0, 1) pop(delegatecall(gas(), x, 0, 0, 0, 0))", "sload(0)", "1"),
        ("sstore(0, 1) pop(callcode(gas(), x, 0, 0, 0, 0, 0))", "sload(0)", "1"),
        ("let g := gas() sstore(1, g) pop(call(5000, x, 0, 0, 0, 0, 0))", "gas()", "g"),
        ("", "blobhash(x)", "blobhash(and(x, 0xff))"),
        ("", "blockhash(sub(number(), 257))", "0"),
        ("", "lt(gas(), gas())", "0"),
        ("", "calldataload(sub(shl(64, 1), 16))", "calldataload(0)"),
        ("", "calldataload(calldatasize())", "1"),
    ];
    for (before, right, wrong) in pairs {
        let [stored, other] = [right, wrong].map(|word| format!("mstore(0, {word})"));
        is_told_apart(&with(before, right), &[(&stored, &other)]);
    }
    let created = "{ let x := calldataload(0) pop(create(0, 0, 0)) pop(create2(0, 0, 0, x)) }";
    let turned = "pop(create2(0, 0, 0, x)) pop(create(0, 0, 0))";
    is_told_apart(created, &[("pop(create(0, 0, 0)) pop(create2(0, 0, 0, x))", turned)]);
    let given =
        "{ pop(call(gas(), calldataload(0), 0, 0, 0, 0, 32)) returndatacopy(0, 1, 31) return(0, 31) }";
    is_told_apart(given, &[("1, 31) return", "0, 31) return"), ("1, 31) return", "1, 32) return")]);
    let past = "{ pop(call(gas(), 1, 0, 0, 0, 0, 0)) returndatacopy(0, returndatasize(), 0) stop() }";
    is_told_apart(
        past,
        &[("returndatasize(), 0", "add(returndatasize(), 1), 0"), ("returndatasize(), 0", "not(0), 1")],
    );
    let limited = "{ pop(staticcall(5000, calldataload(0), 0, 0, 0, 0)) }";
    is_told_apart(limited, &[("5000", "5001"), ("5000", "gas()")]);
}

/// Copies whose source and target have bytes in common.
#[test]
fn copies_that_overlap() {
    let fixed = "{ calldatacopy(0, 0, 128) mcopy(1, 0, 63) return(0, 128) }";
    is_told_apart(fixed, &[("mcopy(1, 0, 63)", "mcopy(1, 0, 1) mcopy(2, 1, 62)")]);
    let moved = "{ let x := calldataload(0) if gt(x, 64) { revert(0, 0) }
        calldatacopy(0, 0, 128) mcopy(x, 32, 32) return(0, 128) }";
    is_told_apart(moved, &[("mcopy(x, 32, 32)", "mcopy(x, 32, 16) mcopy(add(x, 16), 48, 16)")]);
}

/// Bytecode: destinations of jumps, ends of the stack and of the code, and what a program sees of itself.
#[test]
fn bytecode() {
    if !has_solver("pairs are not compared") {
        return;
    }
    let (full, over) = (format!("{}00", "5f".repeat(1024)), format!("{}00", "5f".repeat(1025)));
    let pairs = [
        // A jump to a destination, past it, and into the data of a push.
        ("600456fe5b00", "600556fe5b00"),
        ("6003565b00", "600356615b00"),
        ("5f35600657005b5f5f5500", "5f35600757005b5f5f5500"),
        ("5f356064575f5f5500", "5f35fe"),
        ("00", "50"),
        ("00", "0c"),
        (full.as_str(), over.as_str()),
        ("5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f8f00", "5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f8f00"),
        ("5b5f600056", "00"),
        ("385f5500", "385f550000"),
        ("5b585f5500", "585f5500"),
        ("60205f5f3960205ff3", "6020805f5f3960205ff3"),
        ("60205f5f303c60205ff3", "60205f5f3960205ff3"),
        ("303b5f5500", "385f5500"),
        ("5f5ffd", "fe"),
        ("5f5f5f5f5f335af150fe", "fe"),
        ("60015f5530ff", "30ff"),
        ("30ff", "33ff"),
    ];
    for (a, b) in pairs.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]) {
        let found = verdict("hex", &OPTIONS, a, b);
        let is_open = ["undecided", "different"].iter().any(|kind| found.starts_with(kind));
        assert!(is_open, "{a} and {b}: {found}");
    }
}

/// Data that begins alike, and what is put into code later.
#[test]
fn data_and_what_is_linked() {
    let object = |code: &str, data: &str| {
        format!(
            "object \"A\" {{ code {{ datacopy(0, dataoffset(\"R\"), datasize(\"R\")) return(0, datasize(\"R\")) }}
                object \"R\" {{ code {{ {code} }} {data} }} }}"
        )
    };
    let copied = "datacopy(0, dataoffset(\"d\"), datasize(\"d\")) return(0, datasize(\"d\"))";
    let data = |bytes: &str| format!("data \"d\" hex\"{bytes}\"");
    let changes = [("01020304", "01020305"), ("01020304", "0102030400"), ("01020304", "010203")];
    is_told_apart(&object(copied, &data("01020304")), &changes);
    let more = "datacopy(0, dataoffset(\"d\"), 5) return(0, 32)";
    is_never_proven(&object(more, &data("01020304")), &[("01020304", "0102030405")]);
    let two = object(
        "datacopy(0, dataoffset(\"d\"), 4) datacopy(32, dataoffset(\"e\"), 4) return(0, 64)",
        "data \"d\" hex\"01020304\" data \"e\" hex\"01020305\"",
    );
    is_told_apart(&two, &[("datacopy(0, dataoffset(\"d\")", "datacopy(0, dataoffset(\"e\")")]);
    let stored = |word: &str| object(&format!("sstore(0, {word})"), "");
    is_told_apart(&stored("loadimmutable(\"x\")"), &[("loadimmutable(\"x\")", "calldataload(0)")]);
    is_told_apart(&stored("linkersymbol(\"L\")"), &[("linkersymbol(\"L\")", "linkersymbol(\"M\")")]);
    let base = "let p := memoryguard(128) mstore(p, 7) return(p, 32)";
    is_told_apart(&object(base, ""), &[("return(p", "return(add(p, 1)")]);
}

/// How a frame ends, and what a static one refuses.
#[test]
fn ends_and_static_frames() {
    is_told_apart(
        "{ selfdestruct(1) }",
        &[("selfdestruct(1)", "selfdestruct(2)"), ("selfdestruct(1)", "stop()")],
    );
    is_told_apart("{ log0(0, 0) revert(0, 0) }", &[("log0(0, 0)", ""), ("revert(0, 0)", "invalid()")]);
    is_told_apart("{ return(0, 0) }", &[("return", "revert"), ("0, 0", "0, 1")]);
    let sent = "{ let v := calldataload(0) pop(call(gas(), 1, v, 0, 0, 0, 0)) stop() }";
    is_told_apart(
        sent,
        &[("pop(", "tstore(0, tload(0)) pop("), ("stop()", "if iszero(v) { sstore(0, sload(0)) }")],
    );
    is_told_apart("{ log2(0, 0, 1, 2) }", &[("1, 2)", "2, 1)"), ("log2(0, 0, 1, 2)", "log1(0, 0, 1)")]);
}

/// Hashes of parts of memory whose length is not known may be those of others, and of words.
#[test]
fn hashes_of_any_length() {
    let program = "{ let n := calldataload(0) let m := calldataload(32) if gt(or(n, m), 1000) { revert(0, 0) }
        calldatacopy(0, 64, n) let a := keccak256(0, n)
        calldatacopy(0, 64, m) let b := keccak256(0, m)
        mstore(0, calldataload(64)) let c := keccak256(0, 32)
        sstore(a, 1) sstore(b, 2) sstore(c, 3)
        mstore(0, sload(a)) mstore(32, eq(a, b)) mstore(64, eq(a, c)) mstore(96, eq(b, keccak256(0, 0))) return(0, 128) }";
    let changes = [
        ("mstore(0, sload(a))", "mstore(0, 1)"),
        ("mstore(32, eq(a, b))", "mstore(32, 0)"),
        ("mstore(64, eq(a, c))", "mstore(64, 0)"),
        ("mstore(96, eq(b, keccak256(0, 0)))", "mstore(96, 0)"),
    ];
    is_never_proven(program, &changes);
    let near = "{ mstore(0, calldataload(0)) let k := keccak256(0, 32) let v := sload(k)
        sstore(add(k, calldataload(32)), 1) sstore(0, sload(k)) }";
    is_told_apart(near, &[("sstore(0, sload(k))", "sstore(0, v)"), ("keccak256(0, 32)", "keccak256(0, 31)")]);
}

/// Places of memory and keys that may be the same, or have some bytes in common.
#[test]
fn places_that_overlap() {
    let keys = "{ let a := calldataload(0) let b := calldataload(32) sstore(a, 1) sstore(b, 2) mstore(0, sload(a)) return(0, 32) }";
    is_told_apart(
        keys,
        &[
            ("mstore(0, sload(a))", "mstore(0, 1)"),
            ("sstore(a, 1) sstore(b, 2)", "sstore(b, 2) sstore(a, 1)"),
        ],
    );
    let words = "{ let a := and(calldataload(0), 0xff) let b := and(calldataload(32), 0xff)
        mstore(a, not(0)) mstore(b, 2) mstore(0, mload(a)) return(0, 32) }";
    let changes = [
        ("mload(a)", "not(0)"),
        ("mload(a)", "or(2, mul(iszero(eq(a, b)), not(0)))"),
        ("mstore(a, not(0)) mstore(b, 2)", "mstore(b, 2) mstore(a, not(0))"),
        ("mstore(b, 2)", "mstore8(add(b, 31), 2)"),
    ];
    is_told_apart(words, &changes);
    let moved = "{ let a := and(calldataload(0), 63) calldatacopy(0, 32, 64) mcopy(a, 0, 32) return(0, 96) }";
    let changes = [
        ("mcopy(a, 0, 32)", "mcopy(a, 0, 31)"),
        ("mcopy(a, 0, 32)", "mstore(a, calldataload(32)) if eq(a, 5) { mstore8(36, 0) }"),
        ("mcopy(a, 0, 32)", "mcopy(0, a, 32)"),
    ];
    is_told_apart(moved, &changes);
    let twice = "{ calldatacopy(0, 0, 64) mcopy(1, 0, 33) return(0, 64) }";
    is_told_apart(twice, &[("mcopy(1, 0, 33)", "mstore8(1, byte(0, mload(0))) mcopy(2, 1, 32)")]);
}

/// Arithmetic at its ends, and checks of it.
#[test]
fn arithmetic() {
    let with =
        |word: &str| format!("{{ let x := calldataload(0) let y := calldataload(32) sstore(0, {word}) }}");
    let pairs = [
        ("signextend(0, x)", "and(x, 0xff)"),
        ("sdiv(x, y)", "div(x, y)"),
        ("smod(x, 8)", "and(x, 7)"),
        ("sar(300, x)", "0"),
        ("addmod(x, y, 7)", "mod(add(x, y), 7)"),
        ("mulmod(x, y, 7)", "mod(mul(x, y), 7)"),
        ("exp(2, x)", "shl(and(x, 0xff), 1)"),
        ("byte(x, y)", "byte(and(x, 0xff), y)"),
        ("shl(x, y)", "shl(and(x, 0xff), y)"),
        ("slt(x, y)", "lt(x, y)"),
        ("div(x, y)", "mul(iszero(iszero(sub(y, 1))), div(x, y))"),
        ("balance(x)", "balance(shr(1, x))"),
        ("blockhash(x)", "blockhash(and(x, 0xffffffff))"),
    ];
    for (right, wrong) in pairs {
        is_told_apart(&with(right), &[(right, wrong)]);
    }
    let checked = "{ let x := calldataload(0) let y := calldataload(32)
        let p := mul(x, y) if iszero(or(iszero(x), eq(div(p, x), y))) { revert(0, 0) }
        let d := sub(p, y) if gt(d, p) { revert(0, 0) }
        let s := add(d, 7) if lt(s, d) { revert(0, 0) }
        sstore(0, s) }";
    let changes = [
        ("or(iszero(x), eq(div(p, x), y))", "eq(div(p, x), y)"),
        ("gt(d, p)", "iszero(lt(d, p))"),
        ("lt(s, d)", "lt(s, 6)"),
    ];
    is_told_apart(checked, &changes);
}

/// So many divisions that ways are joined. What `pick` gives, and `behind` makes `t` of, is seen only where the lower bits of
/// a word are these: no difference is found on the first paths.
fn with_many_ways(pick: &str, behind: &str, seen_at: u32) -> String {
    let bits = |bit: u32| format!("if and(x, {}) {{ r := add(r, {}) }}", 1 << bit, 3 * bit + 1);
    let ways: String = (0..10).map(bits).collect();
    format!(
        "{{ let x := calldataload(0) let r := 0 {ways}
            let kind := pick(calldataload(32)) let t := 1
            {behind}
            if eq(and(x, 1023), {seen_at}) {{ r := t }}
            mstore(0, r) return(0, 32)
            function pick(y) -> k {{ {pick} }} }}"
    )
}

/// Ways that come together behind the function in which they began, in a block of its caller: what the function gave is one
/// word on the one way, another on the other, and no parameter of the block.
#[test]
fn ways_that_left_a_function() {
    let leaves = "switch y case 0 { k := 4 leave } default { k := 5 leave }";
    let steps = "k := add(inner(y), 1) }
        function inner(z) -> k { switch lt(z, 9) case 0 { k := 4 leave } default { k := 5 leave }";
    let rounds = "for { let i := 0 } lt(i, 2) { i := add(i, 1) } { t := add(t, kind) }";
    let of_leaves = [("k := 4", "k := 5"), ("k := 5", "k := 4"), ("add(t, kind)", "add(t, 5)")];
    let of_steps = [("k := 4", "k := 5"), ("k := 5", "k := 4"), ("lt(z, 9)", "lt(z, 8)")];
    if !has_solver("pairs are not compared") {
        return;
    }
    // Ways are joined only where many paths were looked at.
    let long = ["--timeout", "12", "--jobs", "1", "--reduce", "0"];
    for (pick, changes, seen_at) in [(leaves, of_leaves, 0), (steps, of_steps, 1023)] {
        let program = with_many_ways(pick, rounds, seen_at);
        assert_eq!(verdict("yul", &long, &program, &program), "proven", "{program}");
        for (right, wrong) in changes {
            let found = verdict("yul", &long, &program, &program.replace(right, wrong));
            let is_open = ["undecided", "different"].iter().any(|kind| found.starts_with(kind));
            assert!(is_open, "`{wrong}` for `{right}`: {found}");
        }
    }
}

/// Differences that are checked: of a difference, of one less a number, and what only looks like these.
#[test]
fn checked_differences() {
    let program = "{ let x := calldataload(0) let y := calldataload(32) let z := calldataload(64)
        if lt(x, sub(x, sub(y, z))) { revert(0, 0) }
        if lt(y, sub(y, 7)) { mstore(0, 1) return(0, 32) }
        sstore(0, sub(x, sub(y, z))) }";
    is_told_apart(
        program,
        &[
            ("lt(x, sub(x, sub(y, z)))", "lt(x, sub(z, y))"),
            ("lt(x, sub(x, sub(y, z)))", "lt(sub(y, z), x)"),
            ("lt(x, sub(x, sub(y, z)))", "lt(sub(x, sub(y, z)), x)"),
            ("lt(x, sub(x, sub(y, z)))", "lt(x, add(x, sub(y, z)))"),
            ("lt(x, sub(x, sub(y, z)))", "lt(x, y)"),
            ("lt(x, sub(x, sub(y, z)))", "lt(add(x, z), y)"),
            ("lt(y, sub(y, 7))", "lt(y, 8)"),
            ("lt(y, sub(y, 7))", "lt(y, 6)"),
            ("lt(y, sub(y, 7))", "lt(y, add(y, 7))"),
            ("lt(y, sub(y, 7))", "slt(y, 7)"),
        ],
    );
    let same = program
        .replace("lt(x, sub(x, sub(y, z)))", "lt(x, sub(y, z))")
        .replace("lt(y, sub(y, 7))", "lt(y, 7)");
    if has_solver("programs are not compared") {
        assert_eq!(verdict("yul", &OPTIONS, program, &same), "proven");
    }
}
