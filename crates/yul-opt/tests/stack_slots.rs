//! Which variables StackLimitEvader moves to memory: each case was asked of solc 0.8.29.

#[path = "common/optimized.rs"]
mod optimized;

use cairn_evm::Fork;
use cairn_yul_opt::Plan;
use optimized::optimized;

/// The names that are stored in memory, from the highest address down, of a program with a guard.
fn moved(code: &str) -> String {
    let source = format!("object \"a\" {{ code {{ mstore(64, memoryguard(128)) {code} }} }}");
    let sequence = "hg{StackLimitEvader}".parse().expect("a sequence");
    let text = optimized(&source, Fork::default(), Plan::Steps(sequence));
    let stored = text.lines().filter_map(|line| line.trim().strip_prefix("mstore(0x"));
    let values =
        stored.filter_map(|rest| rest.split_once(", ")).map(|(_, value)| value.trim_end_matches(')'));
    values.filter(|value| value.starts_with('b')).collect::<Vec<_>>().join(" ")
}

/// A function with so many parameters `b1`, `b2`, … and results `r1`, ….
fn function(n_parameters: usize, n_results: usize, body: &str) -> String {
    let list = |stem: &str, n: usize| (1..=n).map(|i| format!("{stem}{i}")).collect::<Vec<_>>().join(", ");
    let arguments = (1..=n_parameters).map(|i| i.to_string()).collect::<Vec<_>>().join(", ");
    let (targets, results) = match n_results {
        0 => (String::new(), String::new()),
        n => (format!("let {} :=", list("a", n)), format!("-> {}", list("r", n))),
    };
    let parameters = list("b", n_parameters);
    format!("{targets} g({arguments}) function g({parameters}) {results} {{ {body} }}")
}

#[test]
fn parameters_out_of_reach_move_with_the_first_ones() {
    let cases = [
        (17, "sstore(0, b17)", ""),
        (17, "sstore(0, b1) sstore(1, b17)", ""),
        (17, "sstore(1, b17) sstore(0, b1)", "b1 b17"),
        (17, "sstore(b1, b2)", ""),
        (18, "sstore(0, b18) sstore(0, b1)", "b1 b2 b18"),
        (16, "sstore(0, b16) sstore(0, b1)", ""),
        (16, "sstore(b3, b2) sstore(b16, b1)", "b16"),
        (15, "sstore(b3, b2) sstore(b15, b1)", ""),
    ];
    for (n, body, expected) in cases {
        assert_eq!(moved(&function(n, 0, body)), expected, "{n}: {body}");
    }
}

#[test]
fn variables_get_no_slot_of_a_parameter_and_share_those_of_their_block() {
    let cases = [
        ("let x := mload(b1) sstore(x, b15)", ""),
        ("let x := mload(b1) sstore(b15, x)", "b15"),
        ("let x := mload(b2) sstore(x, x) sstore(b15, b1)", ""),
        ("let x := mload(b2) let y := mload(x) let z := mload(y) sstore(z, b15) sstore(0, b1)", ""),
        ("let x := mload(b2) let y := mload(3) sstore(x, y) sstore(b15, b1)", ""),
        ("let x := mload(b2) if x { let y := mload(x) sstore(y, b15) } sstore(0, b1)", "b15"),
    ];
    for (body, expected) in cases {
        assert_eq!(moved(&function(15, 0, body)), expected, "{body}");
    }
}

#[test]
fn results_get_their_slots_before_what_branches_or_declares_a_value() {
    let before = |statement: &str| {
        moved(&function(16, 1, &format!("{statement} sstore(0, b16) sstore(0, b1) r1 := 1")))
    };
    for statement in ["sstore(0, b2)", "b2 := 5", "{ sstore(1, b2) }", "let x, y sstore(x, y)"] {
        assert_eq!(before(statement), "", "{statement}");
    }
    let branching =
        ["if b2 { sstore(1, 2) }", "switch b2 case 0 { sstore(1, 2) }", "for { } b2 { } { }", "r1 := 2"];
    for statement in branching.into_iter().chain(["let x := mload(b2) sstore(x, x)"]) {
        assert_eq!(before(statement), "b1 b16", "{statement}");
    }
}

#[test]
fn the_end_of_a_function_reaches_its_return_label() {
    let cases = [
        (10, 6, "r1 := 1 sstore(0, b1)", ""),
        (10, 7, "r1 := 1 sstore(0, b1)", "b1"),
        (10, 11, "r11 := 1 sstore(0, b1)", "b1 b2 b3 b4 b5"),
        (10, 11, "r1 := 1 sstore(0, b1) sstore(0, b10)", "b1 b2 b3 b4 b5 b10"),
        (17, 1, "b1 := 5", ""),
        (3, 15, "sstore(0, b1) sstore(0, b3)", ""),
        (17, 1, "sstore(0, b1)", ""),
        (17, 1, "let x := mload(b1) sstore(0, x)", "b1 b2"),
        (16, 1, "let x := mload(b1) sstore(0, x)", "b1"),
    ];
    for (n_parameters, n_results, body, expected) in cases {
        let got = moved(&function(n_parameters, n_results, body));
        assert_eq!(got, expected, "{n_parameters}, {n_results}: {body}");
    }
}

#[test]
fn targets_are_reached_from_above_the_values_and_default_cases_come_first() {
    assert_eq!(moved(&function(16, 0, "b16 := 7 sstore(b1, b1)")), "");
    assert_eq!(moved(&function(17, 0, "b17 := 7 sstore(b1, b1)")), "b1 b17");
    let switch = "switch b1 case 0 { sstore(b16, b2) } default { sstore(b15, b3) } r1 := b1";
    assert_eq!(moved(&function(16, 1, switch)), "b1 b15 b16");
    let switch = |n: usize| {
        let case = format!("let x := mload(b2) let y := mload(x) sstore(b{n}, y)");
        let default = "mstore(b2, b2) mstore(b2, b2) mstore(b2, b2)";
        moved(&function(n, 0, &format!("switch b1 case 0 {{ {case} }} default {{ {default} }}")))
    };
    assert_eq!((switch(14).as_str(), switch(13).as_str()), ("b14", ""));
}

#[test]
fn a_call_has_its_return_label_below_its_arguments() {
    let last = |n: usize| {
        let body = format!("sstore(0, add(b1, h(b{n}))) function h(x) -> y {{ y := x }}");
        moved(&function(n, 0, &body))
    };
    assert_eq!((last(15).as_str(), last(16).as_str()), ("", "b16"));
}
