//! Yul programs that are large in one way.

use std::fmt::Write;

/// Statements and functions in an object that may keep frames in memory.
fn object(body: &str) -> String {
    format!("object \"o\" {{ code {{\nmstore(0x40, memoryguard(0x80))\n{body}}} }}\n")
}

/// A line for each number below `n`, in order.
fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for i in 0..n {
        let _ = writeln!(text, "{}", line(i));
    }
    text
}

const TWO_INPUTS: &str = "let a := calldataload(0)\nlet b := calldataload(32)\n";

/// One block of `n` statements.
pub(super) fn statements(n: usize) -> String {
    let body = lines(n, |i| match i % 4 {
        0 => format!("a := add(mul(a, {i}), b)"),
        1 => "b := xor(b, keccak256(a, 32))".to_owned(),
        2 => "sstore(a, b)".to_owned(),
        _ => format!("mstore(add(a, {i}), sload(b))"),
    });
    object(&format!("{TWO_INPUTS}{body}sstore(a, b)\n"))
}

/// `n` functions with effects that call each other in a chain.
pub(super) fn functions(n: usize) -> String {
    let body = lines(n, |i| {
        let result = match i + 1 < n {
            true => format!("add(f{}(add(a, {i}), xor(b, a)), mload(a))", i + 1),
            false => "add(a, b)".to_owned(),
        };
        format!("function f{i}(a, b) -> r {{ if gt(a, {i}) {{ sstore({i}, b) }} r := {result} }}")
    });
    object(&format!("sstore(0, f0(calldataload(0), calldataload(32)))\n{body}"))
}

/// `n` functions of one addition that call each other in a chain.
pub(super) fn sums(n: usize) -> String {
    let body = lines(n, |i| format!("function f{i}(a) -> r {{ r := add(f{}(a), {i}) }}", i + 1));
    object(&format!("sstore(0, f0(calldataload(0)))\n{body}function f{n}(a) -> r {{ r := a }}\n"))
}

/// `n` calls of a function that returns what it is passed, each passing on what the last one returned.
pub(super) fn passed_on(n: usize) -> String {
    let body = lines(n, |i| format!("a := same(a) sstore({i}, a)"));
    object(&format!("let a := calldataload(0)\n{body}function same(w) -> r {{ r := w }}\n"))
}

/// `n` branches one after the other.
pub(super) fn branches(n: usize) -> String {
    let body = lines(n, |i| match i % 3 {
        0 => format!("if lt(a, {i}) {{ a := add(b, {i}) sstore(a, {i}) }}"),
        1 => "switch and(a, 1) case 0 { b := add(b, a) } default { a := sload(b) }".to_owned(),
        _ => format!("if eq(sload(b), a) {{ b := sub(b, {i}) }}"),
    });
    object(&format!("{TWO_INPUTS}{body}sstore(a, b)\n"))
}

/// `n` loops one after the other.
pub(super) fn loops(n: usize) -> String {
    let body = lines(n, |i| {
        format!(
            "for {{ let i := 0 }} lt(i, a) {{ i := add(i, 1) }} {{ if eq(i, {i}) {{ break }} b := add(b, sload(i)) }}"
        )
    });
    object(&format!("{TWO_INPUTS}{body}sstore(a, b)\n"))
}

/// Loops nested `n` deep, each with a counter, a store and an early end.
pub(super) fn nested_loops(n: usize) -> String {
    let heads = lines(n, |i| {
        format!(
            "for {{ let i{i} := 0 }} lt(i{i}, a) {{ i{i} := add(i{i}, 1) }} {{ sstore(i{i}, {i}) if eq(i{i}, b) {{ break }}"
        )
    });
    object(&format!("{TWO_INPUTS}{heads}{}\n", "}".repeat(n)))
}

/// Branches nested `n` deep.
pub(super) fn nested_branches(n: usize) -> String {
    let heads = lines(n, |i| format!("if gt(a, {i}) {{ a := add(a, sload({i}))"));
    object(&format!("{TWO_INPUTS}{heads}{}\nsstore(a, b)\n", "}".repeat(n)))
}

/// A switch of `n` cases.
pub(super) fn cases(n: usize) -> String {
    // A multiplicative hash spreads the labels like selectors.
    let label = |i: usize| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
    let body = lines(n, |i| format!("case 0x{:x} {{ sstore({i}, calldataload({i})) }}", label(i)));
    object(&format!("switch calldataload(0)\n{body}default {{ revert(0, 0) }}\n"))
}

/// `n` variables that live at once.
pub(super) fn variables(n: usize) -> String {
    let loads = lines(n, |i| format!("let v{i} := sload({i})"));
    let stores = lines(n, |i| format!("sstore(v{i}, v{})", (i * 7 + 3) % n));
    object(&(loads + &stores))
}

/// An expression `n` deep.
pub(super) fn expression(n: usize) -> String {
    let heads: String = (0..n).map(|i| format!("add({i}, sload(")).collect();
    object(&format!("sstore(0, {heads}1{})\n", "))".repeat(n)))
}

/// One function called from `n` places.
pub(super) fn call_sites(n: usize) -> String {
    let body = lines(n, |i| format!("sstore({i}, f(calldataload({i})))"));
    let function =
        "function f(x) -> r { if gt(x, 9) { revert(0, 0) } sstore(x, caller()) r := keccak256(0, x) }\n";
    object(&(body + function))
}
