//! Programs of a given size, each of one shape.

use std::fmt::Write;

/// A family of programs.
pub(crate) struct Shape {
    /// What it is made of.
    pub(crate) name: &'static str,
    /// The smaller of the measured sizes.
    pub(crate) size: usize,
    /// A program of a size.
    pub(crate) program: fn(usize) -> String,
}

/// All families: much code in one function, many functions.
pub(crate) const SHAPES: &[Shape] = &[
    Shape { name: "statements", size: 10_000, program: statements },
    Shape { name: "stores", size: 10_000, program: stores },
    Shape { name: "branches", size: 10_000, program: branches },
    Shape { name: "assignments", size: 10_000, program: assignments },
    Shape { name: "scopes", size: 10_000, program: scopes },
    Shape { name: "functions", size: 1_000, program: functions },
    Shape { name: "call chain", size: 1_000, program: call_chain },
];

fn built(build: impl FnOnce(&mut String) -> std::fmt::Result) -> String {
    let mut text = String::from("{\n");
    build(&mut text).expect("writing to a string succeeds");
    text.push_str("}\n");
    text
}

/// Declarations that use those before, with calls of builtins nested and repeated.
fn statements(n: usize) -> String {
    built(|text| {
        writeln!(text, "let v0 := calldataload(0)")?;
        for i in 1..n {
            let (a, b) = (i - 1, i / 2);
            match i % 4 {
                0 => writeln!(text, "let v{i} := add(v{a}, mul(v{b}, {}))", i % 97)?,
                1 => writeln!(text, "let v{i} := and(calldataload({}), 0xffffffffffffffff)", i % 512)?,
                2 => writeln!(text, "let v{i} := sub(add(v{a}, 0), iszero(iszero(v{b})))")?,
                _ => writeln!(text, "let v{i} := keccak256(v{a}, 32)")?,
            }
        }
        writeln!(text, "sstore(0, v{})", n - 1)
    })
}

/// Writes to and reads from storage and memory.
fn stores(n: usize) -> String {
    built(|text| {
        writeln!(text, "let p := calldataload(0)")?;
        for i in 0..n {
            match i % 4 {
                0 => writeln!(text, "sstore(add(p, {}), calldataload({}))", i % 1000, i % 4000)?,
                1 => writeln!(text, "mstore({}, sload({}))", 32 * (i % 500), i % 300)?,
                2 => writeln!(text, "let x{i} := mload({})", 32 * (i % 400))?,
                _ => writeln!(text, "sstore({}, add(x{}, sload(add(p, {}))))", i % 700, i - 1, i % 1000)?,
            }
        }
        Ok(())
    })
}

/// Conditions, switches and loops, short ones beside each other.
fn branches(n: usize) -> String {
    built(|text| {
        writeln!(text, "let a, b := foo(1)\nfunction foo(x) -> y, z {{ y := calldataload(x) z := x }}")?;
        for i in 0..n / 4 {
            match i % 4 {
                0 => writeln!(text, "if gt(a, {i}) {{ b := add(a, {i}) sstore(b, a) }}")?,
                1 => writeln!(
                    text,
                    "switch and(b, 3) case 0 {{ a := {i} }} case 1 {{ revert(0, 0) }} default {{ a := b }}"
                )?,
                2 => writeln!(
                    text,
                    "for {{ let i := 0 }} lt(i, 10) {{ i := add(i, 1) }} {{ if eq(a, i) {{ break }} mstore(i, {i}) }}"
                )?,
                _ => writeln!(text, "if iszero(lt(b, {i})) {{ a := mload(b) if a {{ b := 7 }} }}")?,
            }
        }
        writeln!(text, "sstore(a, b)")
    })
}

/// Few variables with many values.
fn assignments(n: usize) -> String {
    built(|text| {
        for i in 0..50 {
            writeln!(text, "let v{i} := calldataload({i})")?;
        }
        for i in 0..n {
            let (a, b, c) = (i % 50, i * 7 % 50, i * 13 % 50);
            writeln!(text, "v{a} := add(v{b}, xor(v{c}, {}))", i % 1000)?;
        }
        for i in 0..50 {
            writeln!(text, "sstore({i}, v{i})")?;
        }
        Ok(())
    })
}

/// Blocks with variables of the same names.
fn scopes(n: usize) -> String {
    built(|text| {
        for i in 0..n / 5 {
            writeln!(
                text,
                "{{ let x := calldataload({i}) let y := x let z := 0 if y {{ z := mul(x, y) }} sstore(z, x) }}"
            )?;
        }
        Ok(())
    })
}

/// Small functions, some alike, each called from the code and from a few others.
fn functions(n: usize) -> String {
    built(|text| {
        for i in 0..n {
            writeln!(text, "sstore({i}, f{i}(calldataload({i}), {}))", i % 7)?;
        }
        for i in 0..n {
            let callee = i / 2;
            match i % 4 {
                0 => writeln!(text, "function f{i}(a, b) -> r {{ r := add(a, b) }}")?,
                1 => writeln!(
                    text,
                    "function f{i}(a, b) -> r {{ r := f{callee}(mul(a, {i}), 3) sstore(r, a) }}"
                )?,
                2 => writeln!(
                    text,
                    "function f{i}(a, b) -> r {{ if gt(a, b) {{ leave }} r := f{callee}(b, a) mstore(r, sload({i})) }}"
                )?,
                _ => writeln!(
                    text,
                    "function f{i}(a, b) -> r {{ for {{ }} lt(r, a) {{ r := add(r, 1) }} {{ if sload(r) {{ break }} }} sstore(r, {}) }}",
                    i / 8
                )?,
            }
        }
        Ok(())
    })
}

/// Functions that each call the next.
fn call_chain(n: usize) -> String {
    built(|text| {
        writeln!(text, "sstore(0, f0(calldataload(0), 1))")?;
        for i in 0..n {
            let body = format!("let t := sload(a) sstore(t, {i}) r := add(f{}(t, {}), t)", i + 1, i % 3);
            writeln!(text, "function f{i}(a, unused) -> r {{ {body} }}")?;
        }
        writeln!(text, "function f{n}(a, b) -> r {{ r := sload(a) }}")
    })
}
