//! A10: recursion that passes 1024 words ends exceptionally; below that it does what it says.
//!
//! Functions that call themselves and each other to depths of up to 40, with values and frames that
//! are needed behind the call. Not taken for granted: that a function is active once, that what lies
//! in a frame outlives a call of the same function.

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::world;

/// Locals that are needed behind the recursive call.
const MAX_LOCALS: usize = 20;

pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let has_guard = !random.once_in(3);
    let n_locals = if has_guard { random.below(MAX_LOCALS) } else { random.below(4) };
    let guard = if has_guard { "mstore(0x40, memoryguard(0x80))" } else { "" };
    // Locals and arguments of all activations together keep well below the limit.
    let depth = (700 / (n_locals + 8)).min(40);
    let (first, second) = if random.once_in(2) { ("f", "f") } else { ("f", "g") };
    let f = function(&mut random, first, second, n_locals);
    let g = if second == "g" { function(&mut random, "g", "f", n_locals.min(3)) } else { String::new() };
    let text = format!(
        "{{\n{guard}\nlet v1, v2 := f(mod(calldataload(0), {depth}), calldataload(0x20), calldataload(0x40))\n\
         sstore(0, v1) sstore(1, v2)\nlet v3, v4 := f(mod(calldataload(0x20), {depth}), v1, 1)\nmstore(0, xor(v3, v4)) return(0, 0x20)\n{f}{g}}}\n"
    );
    Case { text, role: Role::Runtime, to: world::CONTRACT, calls: world::calls(&mut random) }
}

fn function(random: &mut Random, name: &str, next: &str, n_locals: usize) -> String {
    let operations = ["add", "sub", "xor", "mul", "and"];
    let mut operation = |a: &str, b: &str| format!("{}({a}, {b})", random.pick(&operations));
    let mut locals = String::new();
    for n in 0..n_locals {
        locals += &format!(
            "let {name}{n} := {}\n",
            operation(if n % 2 == 0 { "a" } else { "n" }, &format!("mload({})", n % 32))
        );
    }
    let sum = (0..n_locals).fold("a".to_owned(), |sum, n| operation(&sum, &format!("{name}{n}")));
    let (x, y) = (operation("a", "n"), operation("b", "r"));
    let body = match random.below(4) {
        0 => format!(
            "r, s := {next}(sub(n, 1), {x}, b) let q, w := {next}(shr(1, n), b, s) s := add(add(s, q), w)"
        ),
        1 => format!(
            "for {{ let i := 0 }} lt(i, 2) {{ i := add(i, 1) }} {{ r, s := {next}(shr(1, n), {x}, s) }}"
        ),
        2 => format!("mstore(0, a) r, s := {next}(sub(n, 1), mload(0), {x}) s := add(s, mload(0))"),
        _ => format!("r, s := {next}(sub(n, 1), {x}, b)"),
    };
    // Two calls of one less each would not end before the gas does.
    let few = if body.contains("let q") { "n := and(n, 7) if iszero(n) { r := b leave }" } else { "" };
    format!(
        "function {name}(n, a, b) -> r, s {{\nif iszero(n) {{ r := a s := b leave }}\n{few}\n{locals}{body}\nr := {y}\ns := add(s, {sum})\n}}\n"
    )
}
