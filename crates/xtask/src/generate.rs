//! Generated Yul programs of any size, for measuring growth.

use std::fmt::Write;

/// The shape of a generated program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One block of `n` statements.
    Statements,
    /// `n` small functions that call each other in a chain.
    Functions,
    /// One function of `n` branches, one after the other.
    Branches,
    /// One function of `n` loops, one after the other.
    Loops,
    /// A switch of `n` cases.
    Cases,
    /// `n` variables that live at once.
    Variables,
    /// Blocks nested `n` deep; bounded by the parser's limit.
    Nesting,
}

impl Shape {
    /// Every shape.
    pub(crate) const ALL: [Shape; 7] = [
        Shape::Statements,
        Shape::Functions,
        Shape::Branches,
        Shape::Loops,
        Shape::Cases,
        Shape::Variables,
        Shape::Nesting,
    ];

    /// Sizes that are measured: a tenfold step between the last two shows the growth.
    pub(crate) fn sizes(self) -> &'static [usize] {
        match self {
            Shape::Nesting => &[30, 100, 300, 1_000],
            Shape::Functions | Shape::Branches | Shape::Loops => &[1_000, 3_000, 10_000],
            _ => &[1_000, 10_000, 100_000],
        }
    }

    /// The program of this shape and size.
    pub(crate) fn program(self, n: usize) -> String {
        let mut body = String::new();
        match self {
            Shape::Statements => statements(&mut body, n),
            Shape::Functions => functions(&mut body, n),
            Shape::Branches => branches(&mut body, n),
            Shape::Loops => loops(&mut body, n),
            Shape::Cases => cases(&mut body, n),
            Shape::Variables => variables(&mut body, n),
            Shape::Nesting => nesting(&mut body, n),
        }
        format!("object \"o\" {{ code {{\nmstore(0x40, memoryguard(0x80))\n{body}}} }}\n")
    }
}

fn statements(body: &mut String, n: usize) {
    body.push_str("let a := calldataload(0)\nlet b := calldataload(32)\n");
    for i in 0..n {
        let _ = match i % 4 {
            0 => writeln!(body, "a := add(mul(a, {i}), b)"),
            1 => writeln!(body, "b := xor(b, keccak256(a, 32))"),
            2 => writeln!(body, "sstore(a, b)"),
            _ => writeln!(body, "mstore(add(a, {i}), sload(b))"),
        };
    }
    body.push_str("sstore(a, b)\n");
}

fn functions(body: &mut String, n: usize) {
    body.push_str("sstore(0, f0(calldataload(0), calldataload(32)))\n");
    for i in 0..n {
        let _ = writeln!(body, "function f{i}(a, b) -> r {{");
        let _ = writeln!(body, "  if gt(a, {i}) {{ sstore({i}, b) }}");
        match i + 1 < n {
            true => writeln!(body, "  r := add(f{}(add(a, {i}), xor(b, a)), mload(a))\n}}", i + 1),
            false => writeln!(body, "  r := add(a, b)\n}}"),
        }
        .unwrap_or(());
    }
}

fn branches(body: &mut String, n: usize) {
    body.push_str("let a := calldataload(0)\nlet b := calldataload(32)\n");
    for i in 0..n {
        let _ = match i % 3 {
            0 => writeln!(body, "if lt(a, {i}) {{ a := add(b, {i}) sstore(a, {i}) }}"),
            1 => writeln!(body, "switch and(a, 1) case 0 {{ b := add(b, a) }} default {{ a := sload(b) }}"),
            _ => writeln!(body, "if eq(sload(b), a) {{ b := sub(b, {i}) }}"),
        };
    }
    body.push_str("sstore(a, b)\n");
}

fn loops(body: &mut String, n: usize) {
    body.push_str("let a := calldataload(0)\nlet b := calldataload(32)\n");
    for i in 0..n {
        let _ = writeln!(
            body,
            "for {{ let i := 0 }} lt(i, a) {{ i := add(i, 1) }} {{ if eq(i, {i}) {{ break }} b := add(b, sload(i)) }}"
        );
    }
    body.push_str("sstore(a, b)\n");
}

fn cases(body: &mut String, n: usize) {
    body.push_str("switch calldataload(0)\n");
    for i in 0..n {
        // A multiplicative hash spreads the labels like selectors.
        let label = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
        let _ = writeln!(body, "case 0x{label:x} {{ sstore({i}, calldataload({i})) }}");
    }
    body.push_str("default { revert(0, 0) }\n");
}

fn variables(body: &mut String, n: usize) {
    for i in 0..n {
        let _ = writeln!(body, "let v{i} := sload({i})");
    }
    for i in 0..n {
        let _ = writeln!(body, "sstore(v{i}, v{})", (i * 7 + 3) % n);
    }
}

fn nesting(body: &mut String, n: usize) {
    body.push_str("let a := calldataload(0)\n");
    for i in 0..n {
        let _ = match i % 2 {
            0 => write!(body, "if gt(a, {i}) {{ a := add(a, sload({i})) "),
            _ => write!(body, "for {{ }} lt(a, {i}) {{ a := add(a, 1) }} {{ "),
        };
    }
    body.push_str(&"}".repeat(n));
    body.push('\n');
}
