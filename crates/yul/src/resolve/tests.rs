//! Tests of the checks.

use cairn_diag::FileId;
use cairn_evm::Fork;

use crate::{Dialect, parse};

/// Codes and places of everything that is reported.
fn faults_in(text: &str, fork: Fork) -> Vec<(&'static str, &str)> {
    let parsed = parse(text, FileId(0), &Dialect::new(fork));
    let place = |span: cairn_diag::Span| &text[span.start as usize..span.end as usize];
    parsed.diagnostics.into_iter().map(|found| (found.code, found.span.map_or("", place))).collect()
}

fn faults(text: &str) -> Vec<(&'static str, &str)> {
    faults_in(text, Fork::default())
}

#[test]
fn names_are_bound_to_the_end_of_their_block() {
    assert_eq!(faults("{ { let a := 1 } { let a := 2 } let a := 3 }"), []);
    assert_eq!(faults("{ function f() { g() } { f() } function g() {} }"), []);
    assert_eq!(faults("{ let a { let a } }"), [("Y1395", "let a")]);
    assert_eq!(faults("{ let a function f(a) {} }"), [("Y1395", "a")]);
    assert_eq!(faults("{ { function f() {} } function f() {} }"), [("Y6052", "function f() {}")]);
}

#[test]
fn uses_before_declarations_are_told_from_unknown_names() {
    assert_eq!(faults("{ a := 1 let a }"), [("Y1133", "a")]);
    assert_eq!(faults("{ { { pop(a) } } let a }"), [("Y4990", "a")]);
    assert_eq!(faults("{ { pop(a) } { let a } }"), [("Y8198", "a")]);
    assert_eq!(faults("{ function f() { pop(a) } let a }"), [("Y8198", "a")]);
    assert_eq!(faults("{ let a := a }"), [("Y4990", "a")]);
    assert_eq!(faults("{ for { pop(a) } 1 {} { let a } }"), [("Y8198", "a")]);
}

#[test]
fn variables_stay_in_their_function() {
    assert_eq!(faults("{ let a function f() { a := 1 } }"), [("Y4634", "a")]);
    assert_eq!(faults("{ let a function f() { a() } }"), [("Y4619", "a")]);
    assert_eq!(faults("{ let a a() }"), [("Y4202", "a")]);
}

#[test]
fn jumps_need_their_place() {
    assert_eq!(faults("{ function f() { leave } leave }"), [("Y8149", "leave")]);
    assert_eq!(
        faults("{ for { break } 1 { continue } { if 1 { break } } }"),
        [("Y9615", "break"), ("Y2461", "continue")]
    );
    assert_eq!(faults("{ for {} 1 {} { function f() { break } } }"), [("Y2592", "break")]);
}

#[test]
fn faults_of_earlier_stages_come_first() {
    let text = "{ pop(x) let a let a break }";
    assert_eq!(faults(text), [("Y2592", "break"), ("Y1395", "let a"), ("Y8198", "x")]);
}

#[test]
fn numbers_of_values_must_fit() {
    let f = "function f(a) -> b, c {}";
    assert_eq!(faults(&format!("{{ {f} let x, y := f(1) x, y := f(2) }}")), []);
    assert_eq!(
        faults("{ function f(a) -> b, c {} let x := f(1) x := f(f(1)) f() }"),
        [
            ("Y3812", "let x := f(1)"),
            ("Y3950", "f(1)"),
            ("Y8678", "x := f(f(1))"),
            ("Y7000", "f"),
            ("Y3083", "f()")
        ]
    );
}

#[test]
fn an_unknown_function_is_reported_once() {
    assert_eq!(faults("{ let x := g(h(1)) g() }"), [("Y4619", "g"), ("Y4619", "h"), ("Y4619", "g")]);
}

#[test]
fn builtins_depend_on_the_fork() {
    assert_eq!(faults_in("{ let mcopy tstore() function tstore() {} }", Fork::Shanghai), []);
    assert_eq!(faults_in("{ mcopy(1, 2, 3) }", Fork::Shanghai), [("Y7755", "mcopy")]);
    assert_eq!(
        faults_in("{ let shl pop(shl(1, 2)) }", Fork::Byzantium),
        [("Y5017", "shl"), ("Y4202", "shl")]
    );
    assert_eq!(faults_in("{ revert(0, 0) }", Fork::Homestead), []);
    assert_eq!(faults_in("{ pop(difficulty()) let prevrandao }", Fork::London), []);
    assert_eq!(faults_in("{ pop(prevrandao()) let difficulty }", Fork::Paris), []);
    assert_eq!(
        faults("{ let dup1 let verbatim_x let pc }"),
        [("Y5017", "dup1"), ("Y5017", "verbatim_x"), ("Y5017", "pc")]
    );
}

#[test]
fn data_names_are_paths() {
    let text = r#"object "a" { code { pop(datasize("a")) pop(datasize("b.c")) pop(datasize("b.d")) pop(datasize("b.e")) pop(datasize("d")) }
        object "b" { code { pop(datasize("a")) pop(datasize("d")) } object "c" { code {} } data "d" "1" } data "d" "2" data ".m" "" }"#;
    assert_eq!(faults(text), [("Y3517", "\"b.e\""), ("Y3517", "\"a\"")]);
}

#[test]
fn errors_are_limited() {
    let text = format!("{{ {} }}", "x := 1 ".repeat(1000));
    let found = faults(&text);
    assert_eq!(found.len(), crate::MAX_ERRORS + 1);
    assert_eq!(found[crate::MAX_ERRORS].0, "Y4013");
}

#[test]
fn the_tree_may_be_as_deep_as_the_parser_allows() {
    let depth = crate::MAX_NESTING;
    let blocks = format!("{}{}", "{".repeat(depth), "}".repeat(depth));
    assert_eq!(faults(&blocks), []);
    let calls = format!("{{ pop({}1{}) }}", "not(".repeat(depth - 2), ")".repeat(depth - 2));
    assert_eq!(faults(&calls), []);
    let ifs = format!("{{ {}{} }}", "if 1 {".repeat(depth - 1), "}".repeat(depth - 1));
    assert_eq!(faults(&ifs), []);
    let functions = (1..depth).map(|n| format!("function f{n}() {{")).collect::<String>();
    assert_eq!(faults(&format!("{{ {functions}{} }}", "}".repeat(depth - 1))), []);
}
