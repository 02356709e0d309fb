//! What FullInliner takes for worth it: each limit was found by asking solc 0.8.37.

use cairn_diag::FileId;
use cairn_yul::{DebugComments, Dialect, parse, print_object};
use cairn_yul_opt::{NoObserver, Options, Plan, optimize};

const GUARD: &str = "mstore(64, memoryguard(128))";

/// How many calls of `f` are left in `code` when FullInliner has run.
fn calls_left(code: &str, f: &str) -> usize {
    let dialect = Dialect::default();
    let source = format!("object \"a\" {{ code {{ {code} function f(a) {{ {f} }} }} }}");
    let parsed = parse(&source, FileId(0), &dialect);
    assert!(!parsed.diagnostics.has_errors(), "{:?}", parsed.diagnostics);
    let (mut object, mut names) = (parsed.object.expect("a tree"), parsed.names);
    let options = Options { plan: Plan::Steps("hgi".parse().expect("a sequence")), ..Options::default() };
    optimize(&mut object, &mut names, &dialect, &options, &mut NoObserver).expect("nothing is rejected");
    let text = print_object(&object, &names, &dialect, DebugComments::Omit);
    text.matches("f(").count() - text.matches("function f(").count() - text.matches("if(").count()
}

/// Code of a size.
fn stops(size: usize) -> String {
    "stop() ".repeat(size)
}

// Shows S002-140.
#[test]
fn small_functions_are_inlined_and_larger_ones_with_a_guard() {
    let code = "let x := calldataload(0) f(x) f(x)";
    let guarded = format!("{GUARD} {code}");
    assert_eq!((calls_left(code, &stops(5)), calls_left(code, &stops(6))), (0, 2));
    assert_eq!((calls_left(&guarded, &stops(7)), calls_left(&guarded, &stops(8))), (0, 2));
}

// Shows S002-26, S002-141.
#[test]
fn constant_arguments_allow_more() {
    let guarded = format!("{GUARD} f(1) f(2)");
    assert_eq!((calls_left("f(1) f(2)", &stops(11)), calls_left("f(1) f(2)", &stops(12))), (0, 2));
    assert_eq!((calls_left(&guarded, &stops(15)), calls_left(&guarded, &stops(16))), (0, 2));
}

// Shows S002-138.
#[test]
fn large_code_takes_in_nothing_without_a_guard() {
    let code = |size: usize| format!("f(1) {}", stops(size - 2));
    assert_eq!((calls_left(&code(45), &stops(3)), calls_left(&code(47), &stops(3))), (0, 1));
    assert_eq!(calls_left(&format!("{GUARD} {}", code(47)), &stops(3)), 0);
}

#[test]
fn a_guard_does_not_help_functions_that_call_themselves() {
    let code = |rest: &str| format!("{GUARD} g(1) g(2) function g(x) {{ {} f(x) {rest} }}", stops(60));
    assert_eq!((calls_left(&code(""), &stops(4)), calls_left(&code("g(x)"), &stops(4))), (0, 1));
}

// Shows S002-26.
#[test]
fn the_number_zero_is_free_and_an_empty_string_is_not() {
    let code = "let x := calldataload(0) f(x) f(x)";
    let body = |arguments: &str| format!("sstore({arguments}) {}", stops(4));
    assert_eq!((calls_left(code, &body("0, 0")), calls_left(code, &body("\"\", 0"))), (0, 2));
}
