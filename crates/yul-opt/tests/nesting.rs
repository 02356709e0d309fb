//! Deep nesting and long chains cost what their size is worth. What would be a power of the depth
//! does not end, so these tests measure no time.

#[path = "common/optimized.rs"]
mod common;

use cairn_diag::FileId;
use cairn_evm::Fork;
use cairn_yul::{Dialect, parse};
use cairn_yul_opt::Plan;

fn optimized(source: &str, plan: Plan) -> String {
    common::optimized(source, Fork::default(), plan)
}

fn nested(depth: usize, open: impl Fn(usize) -> String) -> String {
    format!(
        "{{ let x := calldataload(0) {}{} sstore(0, x) }}",
        (0..depth).map(open).collect::<String>(),
        "}".repeat(depth)
    )
}

// Shows S002-02.
#[test]
fn deep_nesting_ends() {
    let suite = || Plan::Suite(cairn_yul_opt::Suite::default());
    let loops = nested(200, |i| {
        format!(
            "for {{ let i{i} := 0 }} lt(i{i}, x) {{ i{i} := add(i{i}, 1) }} {{ sstore(i{i}, x) x := mload(i{i}) "
        )
    });
    assert!(optimized(&loops, suite()).contains("for "));
    let ifs = nested(200, |i| format!("if gt(x, {i}) {{ x := sload(x) sstore(x, {i}) "));
    assert!(optimized(&ifs, suite()).contains("if "));
    let switches = nested(200, |i| format!("switch x case {i} {{ sstore(x, 1) }} default {{ x := sload(x) "));
    assert!(optimized(&switches, suite()).contains("switch "));
}

/// Functions that each call the next.
fn chain(length: usize) -> String {
    let functions =
        (0..length).map(|i| format!("function f{i}(a) -> r {{ r := add(f{}(a), {i}) }}\n", i + 1));
    let functions: String = functions.collect();
    format!("{{ sstore(0, f0(calldataload(0)))\n{functions}function f{length}(a) -> r {{ r := a }} }}")
}

#[test]
fn inlining_a_chain_is_linear() {
    let inlined = |length| optimized(&chain(length), Plan::Steps("hgxixixi".parse().expect("a sequence")));
    let (small, large) = (inlined(800), inlined(1600));
    assert!(large.len() < 22 * small.len() / 10, "{} and {} bytes", small.len(), large.len());
    let longest = large.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(str::len).max();
    assert!(longest < Some(40), "{longest:?} bytes in a name");
    assert!(!large.contains("f7("), "{large}");
}

/// Whether a text can be parsed.
fn is_valid(text: &str) -> bool {
    !parse(text, FileId(0), &Dialect::default()).diagnostics.has_errors()
}

#[test]
fn joined_expressions_can_be_read_again() {
    let loads = |depth, inner: &str| format!("{}{inner}{}", "mload(".repeat(depth), ")".repeat(depth));
    let joiner = || Plan::Steps("hgj".parse().expect("a sequence"));
    let calls = format!("{{ let a := {} sstore({}, 1) }}", loads(200, "7"), loads(1000, "a"));
    assert!(is_valid(&optimized(&calls, joiner())));
    let links: String = (1..200).map(|i| format!("let a{i} := mload(a{}) ", i - 1)).collect();
    let chain = format!("let a0 := mload(x) {links} sstore(a199, 1)");
    let blocks =
        format!("{{ let x := calldataload(0) {}{chain}{} }}", "if x { ".repeat(1000), "}".repeat(1000));
    assert!(is_valid(&optimized(&blocks, joiner())));
    assert!(optimized(&format!("{{ let x := 1 {chain} }}"), joiner()).contains("mload(mload(mload("));
}
