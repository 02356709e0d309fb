//! Functions that call themselves are proven at any depth, and with a change in one place they are not: other calls
//! inside, other arguments, stores, logs and memory before or behind them.

#![allow(clippy::print_stdout, reason = "tests say what they skip")]

#[path = "common/prove.rs"]
mod prove;

use prove::{has_solver, verdict};

/// With seconds: what is proven is so in a hundredth of one.
const OPTIONS: [&str; 4] = ["--timeout", "2", "--jobs", "1"];

/// The program is proven against its code; with a change it is not.
#[track_caller]
fn is_told_apart(extension: &str, program: &str, changes: &[(&str, &str)]) {
    if !has_solver("recursion is not looked at") {
        return;
    }
    assert_eq!(verdict(extension, &OPTIONS, program, program), "proven", "{program}");
    is_not_proven(extension, program, changes);
}

#[track_caller]
fn is_not_proven(extension: &str, program: &str, changes: &[(&str, &str)]) {
    for (right, wrong) in changes {
        assert_eq!(program.matches(right).count(), 1, "`{right}` is in it once");
        let found = verdict(extension, &OPTIONS, program, &program.replace(right, wrong));
        let kinds = ["undecided", "different", "bounded"];
        assert!(kinds.iter().any(|kind| found.starts_with(kind)), "`{wrong}` for `{right}`: {found}");
    }
}

#[test]
fn one_call_inside() {
    let program = "{ mstore(0, f(calldataload(0))) return(0, 32)
        function f(n) -> r { switch lt(n, 2) case 1 { r := 1 } default { r := mul(n, f(sub(n, 1))) } } }";
    let changes = [
        ("mul(n, f", "add(n, f"),
        ("sub(n, 1)", "sub(n, 2)"),
        ("r := 1 }", "r := n }"),
        ("lt(n, 2)", "lt(n, 3)"),
        ("f(sub(n, 1))", "sub(n, 1)"),
        ("mstore(0, f(calldataload(0)))", "mstore(0, f(calldataload(32)))"),
    ];
    is_told_apart("yul", program, &changes);
}

/// A function that may end the frame: what was done before its call is seen then, whatever is behind the call.
#[test]
fn what_is_done_before_a_call_that_does_not_come_back() {
    let program = "{ let n := calldataload(0) log1(0, 0, 5) sstore(0, f(n)) revert(0, 0)
        function f(a) -> r {
            if gt(a, 99) { stop() }
            switch lt(a, 2) case 1 { r := 1 } default { r := mul(a, f(sub(a, 1))) }
        } }";
    is_told_apart("yul", program, &[("log1(0, 0, 5)", "log1(0, 0, 6)"), ("log1(0, 0, 5)", "log0(0, 0)")]);
}

/// Arguments change places; one of them is not used where it ends.
#[test]
fn arguments_and_results() {
    let program = "{ let x, y := f(calldataload(0), calldataload(32)) sstore(x, y)
        function f(a, b) -> r, s {
            switch b
            case 0 { r := a s := 7 }
            default { r, s := f(b, mod(a, b)) r := add(r, 1) s := xor(s, a) }
        } }";
    let changes = [
        ("f(b, mod(a, b))", "f(mod(a, b), b)"),
        ("r, s := f(b", "s, r := f(b"),
        ("r := add(r, 1)", "r := add(s, 1)"),
        ("let x, y := f", "let y, x := f"),
        ("s := 7", "s := 8"),
    ];
    is_told_apart("yul", program, &changes);
}

#[test]
fn two_calls_inside() {
    let program = "{ sstore(0, f(calldataload(0)))
        function f(n) -> r { if lt(n, 2) { r := n leave } r := sub(f(sub(n, 1)), f(sub(n, 2))) } }";
    let changes = [
        ("f(sub(n, 1))", "f(sub(n, 2))"),
        ("sub(f(sub(n, 1)), f(sub(n, 2)))", "sub(f(sub(n, 2)), f(sub(n, 1)))"),
        ("f(sub(n, 2))", "1"),
    ];
    is_told_apart("yul", program, &changes);
}

#[test]
fn two_functions() {
    let program = "{ mstore(0, even(calldataload(0))) return(0, 32)
        function even(n) -> r { r := 1 if n { r := odd(sub(n, 1)) r := xor(r, sload(n)) } }
        function odd(n) -> r { if n { sstore(n, 1) r := even(sub(n, 1)) r := add(r, 1) } } }";
    let changes = [
        ("sstore(n, 1)", "sstore(n, 2)"),
        ("r := even(sub(n, 1))", "r := odd(sub(n, 1))"),
        ("xor(r, sload(n))", "xor(r, 1)"),
        ("r := 1", "r := 0"),
    ];
    is_told_apart("yul", program, &changes);
}

/// What is done before a call inside and behind it: stores are read and written there.
#[test]
fn stores_and_logs() {
    let program = "{ f(calldataload(0), calldataload(32)) sstore(0, sload(7))
        function f(n, v) {
            if n {
                sstore(n, add(sload(n), v))
                f(sub(n, 1), xor(v, n))
                log1(0, 0, n)
                tstore(0, v)
                if gt(sload(n), 1000) { revert(0, 0) }
            }
        } }";
    let early = "log1(0, 0, n) f(sub(n, 1), xor(v, n))";
    let late = "f(sub(n, 1), xor(v, n)) sstore(n, add(sload(n), v))";
    let changes = [
        ("sstore(n, add(sload(n), v))\n                f(sub(n, 1), xor(v, n))", late),
        ("f(sub(n, 1), xor(v, n))\n                log1(0, 0, n)", early),
        ("tstore(0, v)", ""),
        ("gt(sload(n), 1000)", "gt(add(sload(n), v), 1000)"),
        ("xor(v, n)", "v"),
        ("sstore(0, sload(7))", "sstore(0, 7)"),
    ];
    is_told_apart("yul", program, &changes);
}

/// A store of what is there already is seen by a static frame alone.
#[test]
fn changes_of_the_state() {
    let program = "{ f(calldataload(0)) return(0, 0)
        function f(n) { let x := sload(n) if lt(x, 3) { leave } f(sub(n, 1)) sstore(n, x) } }";
    is_told_apart("yul", program, &[("sstore(n, x)", "")]);
}

/// Functions that end the frame: what was done before is seen then.
#[test]
fn functions_that_do_not_come_back() {
    let program = "{ sstore(1, calldataload(32)) log1(0, 0, 5) f(calldataload(0)) sstore(2, 3)
        function f(n) { if iszero(n) { return(0, 0) } if eq(n, 9) { revert(0, 0) } f(sub(n, 1)) sstore(3, n) } }";
    let changes = [
        ("log1(0, 0, 5)", "log1(0, 0, 6)"),
        ("sstore(1, calldataload(32))", "sstore(1, calldataload(64))"),
        ("return(0, 0)", "leave"),
        ("revert(0, 0)", "invalid()"),
    ];
    is_not_proven("yul", program, &changes);
}

/// What is behind a call that does not come back is a promise of the front end; what is before it is compared.
#[test]
fn calls_behind_which_nobody_comes() {
    let program = "module @M {
        func @__entry() {
          %zero = evm.constant 0 : u256
          %x = evm.calldataload %zero : u256
          %key = evm.constant 32 : u256
          evm.sstore %key, %x
          %r = evm.icall @f(%x) : u256
          evm.unreachable
        }
        func @f(%n : u256) -> u256 {
        ^entry:
          %zero = evm.constant 0 : u256
          %one = evm.constant 1 : u256
          %is = evm.eq %n, %zero : bool
          evm.condbr %is, ^end, ^on
        ^end:
          evm.return %one
        ^on:
          %less = evm.sub %n, %one : u256
          %r = evm.icall @f(%less) : u256
          %both = evm.add %r, %n : u256
          evm.iret %both
        }
      }";
    is_not_proven("eir", program, &[("evm.constant 32", "evm.constant 64"), ("evm.sstore %key, %x", "")]);
}

/// Memory that a function leaves behind, and scratch space that it may use.
#[test]
fn memory() {
    let hashes = "{ mstore(0, f(calldataload(0))) return(0, 32)
        function f(n) -> r {
            if iszero(n) { leave }
            mstore(0, n) mstore(32, 1)
            let key := keccak256(0, 64)
            r := add(sload(key), f(sub(n, 1)))
        } }";
    is_told_apart("yul", hashes, &[("mstore(32, 1)", "mstore(32, 2)"), ("mstore(0, n)", "mstore(0, r)")]);
    // Scratch space is another one behind the call.
    let used = "{ mstore(0, 77) f(calldataload(0)) return(0, 32)
        function f(n) { if n { f(sub(n, 1)) mstore(0, n) } } }";
    is_not_proven("yul", used, &[("f(sub(n, 1)) mstore(0, n)", "f(sub(n, 1))"), ("mstore(0, 77)", "")]);
    let kept = "{ f(calldataload(0)) mstore(0, mload(128)) return(0, 32)
        function f(n) { if n { mstore(128, n) f(sub(n, 1)) mstore(160, mload(128)) } } }";
    let changes = [
        ("mstore(128, n) f(sub(n, 1))", "f(sub(n, 1)) mstore(128, n)"),
        ("mstore(128, n)", "mstore(128, 1)"),
        ("mstore(0, mload(128))", "mstore(0, mload(160))"),
    ];
    is_not_proven("yul", kept, &changes);
    // What is in memory when the function begins, both read.
    let read = "{ mstore(128, calldataload(32)) mstore(160, calldataload(64)) mstore(0, f(calldataload(0))) return(0, 32)
        function f(n) -> r { if n { r := add(mload(128), f(sub(n, 1))) } } }";
    is_not_proven(
        "yul",
        read,
        &[("add(mload(128)", "add(mload(160)"), ("mstore(128, calldataload(32))", "")],
    );
}

/// What an account returned is not what a function gave back.
#[test]
fn return_data() {
    let program = "{ let x := f(calldataload(0)) returndatacopy(0, 0, returndatasize()) sstore(x, mload(0))
        function f(n) -> r {
            if iszero(n) { r := 5 leave }
            let done := staticcall(gas(), n, 0, 0, 0, 0)
            r := add(f(sub(n, 1)), done)
        } }";
    is_not_proven(
        "yul",
        program,
        &[("sstore(x, mload(0))", "sstore(x, x)"), ("sstore(x, mload(0))", "sstore(mload(0), x)")],
    );
}

/// What is there when a function begins: return data of any call, whatever was stored.
#[test]
fn what_is_there_when_it_begins() {
    let program = "{ pop(staticcall(gas(), 1, 0, 0, 0, 0)) sstore(0, f(calldataload(0)))
        function f(n) -> r {
            if n { sstore(n, returndatasize()) let q := f(sub(n, 1)) r := add(q, sload(add(n, 7))) }
        } }";
    let changes = [("sstore(n, returndatasize())", "sstore(n, 0)"), ("sload(add(n, 7))", "0")];
    is_told_apart("yul", program, &changes);
}

/// What was read before a call is something else than what is read behind it.
#[test]
fn words_across_a_call() {
    let program = "{ let a := sload(7) let b := tload(7) sstore(9, calldataload(32))
        let y := f(calldataload(0))
        mstore(0, sload(7)) mstore(32, tload(7)) sstore(9, 3) return(0, 64)
        function f(n) -> r {
            if n {
                let s := sload(5) let t := tload(5) sstore(n, 1) tstore(n, 1)
                let q := f(sub(n, 1))
                r := add(add(q, sload(5)), mul(tload(5), sload(9)))
            }
        } }";
    let changes = [
        ("mstore(0, sload(7))", "mstore(0, a)"),
        ("mstore(32, tload(7))", "mstore(32, b)"),
        ("add(q, sload(5))", "add(q, s)"),
        ("mul(tload(5)", "mul(t"),
        ("sstore(9, calldataload(32))", "sstore(9, 4)"),
        ("sstore(9, 3)", ""),
    ];
    is_told_apart("yul", program, &changes);
    let returned = "{ let y := f(calldataload(0)) sstore(0, add(y, returndatasize()))
        function f(n) -> r { if n { r := staticcall(gas(), n, 0, 0, 0, 0) r := add(f(sub(n, 1)), r) } } }";
    is_told_apart("yul", returned, &[("add(y, returndatasize())", "y")]);
}

/// A change of the state that only some depths make, and one behind them.
#[test]
fn changes_of_some_depths() {
    let program = "{ let x := calldataload(0) let y := f(x) if eq(x, 7) { sstore(y, sload(y)) }
        mstore(0, y) return(0, 32)
        function f(n) -> r { if n { if eq(n, 100) { sstore(n, sload(n)) } r := add(f(sub(n, 1)), 1) } } }";
    let changes =
        [("if eq(x, 7) { sstore(y, sload(y)) }", ""), ("if eq(n, 100) { sstore(n, sload(n)) }", "")];
    is_told_apart("yul", program, &changes);
}

/// Loops in functions that call themselves: where their rounds depend on the input in one of the programs, nothing is
/// proven, though the first rounds do nothing.
#[test]
fn loops_inside() {
    let known = "{ sstore(0, f(calldataload(0)))
        function f(n) -> r { if n {
            for { let i := 0 } lt(i, 9) { i := add(i, 1) } { r := add(r, sload(i)) }
            r := add(mul(r, 2), f(sub(n, 1)))
        } } }";
    let late =
        "for { let j := 0 } lt(j, n) { j := add(j, 1) } { if gt(j, 50) { r := add(r, 1) } } r := add(mul";
    is_told_apart("yul", known, &[("lt(i, 9)", "lt(i, 8)"), ("r := add(mul", late)]);
    let any = "{ sstore(0, f(calldataload(0)))
        function f(n) -> r { if n {
            for { let i := 0 } lt(i, n) { i := add(i, 1) } { r := add(r, i) }
            r := add(mul(r, 2), f(sub(n, 1)))
        } } }";
    is_not_proven("yul", any, &[("r := add(r, i)", "r := add(r, add(i, eq(i, 5)))")]);
}

/// Memory behind the scratch space that only one of the programs leaves.
#[test]
fn memory_that_one_leaves() {
    let program = "{ mstore(0, f(calldataload(0))) mstore(32, mload(64)) return(0, 64)
        function f(n) -> r { if n { r := add(n, f(sub(n, 1))) pop(n) } } }";
    is_told_apart("yul", program, &[("pop(n)", "mstore(64, n)")]);
    is_not_proven("yul", &program.replace("pop(n)", "mstore(64, n)"), &[("mstore(64, n)", "pop(n)")]);
    // Of the scratch space nothing is known behind a call: one may leave something there, and the other not.
    let scratch = "{ mstore(0, 77) let y := f(calldataload(0)) mstore(32, y) return(0, 64)
        function f(n) -> r { if n { r := add(n, f(sub(n, 1))) mstore(0, n) } } }";
    is_not_proven("yul", scratch, &[("mstore(0, n)", "pop(n)")]);
}

/// Without the assumption that the stack is deep enough nothing of it is proven.
#[test]
fn the_stack_is_assumed() {
    let program = "{ sstore(0, f(calldataload(0)))
        function f(n) -> r { if n { r := xor(n, f(sub(n, 1))) } } }";
    if has_solver("recursion is not looked at") {
        assert_eq!(verdict("yul", &OPTIONS, program, program), "proven");
        let without = [&OPTIONS[..], &["--without", "A10"]].concat();
        assert_ne!(verdict("yul", &without, program, program), "proven");
    }
}
