//! Where steps do what solc does, found by asking solc 0.8.29 about whole programs.

#[path = "common/optimized.rs"]
mod optimized;

use cairn_diag::FileId;
use cairn_evm::Fork;
use cairn_yul::{Dialect, parse};
use cairn_yul_opt::{Plan, Suite};
use optimized::optimized;

fn steps(source: &str, sequence: &str) -> String {
    optimized(source, Fork::Cancun, Plan::Steps(sequence.parse().expect("a sequence")))
}

/// The suite around no steps at all.
fn finish(source: &str, fork: Fork) -> String {
    let empty = || "".parse().expect("a sequence");
    optimized(source, fork, Plan::Suite(Suite { sequence: empty(), cleanup: empty() }))
}

#[test]
fn a_store_at_what_a_variable_was_is_overwritten() {
    let source = "{ for { let k := 9 } k { k := sub(k, 1) } { sstore(k, caller()) sstore(k, 2) } }";
    let text = steps(source, "oxaSVj");
    assert_eq!(text.matches("sstore(").count(), 1, "{text}");
    // What the variable was in another round is another place.
    let source =
        "{ for { let k := 9 } k { k := sub(k, 1) } { sstore(k, caller()) k := sub(k, 1) sstore(k, 2) } }";
    let text = steps(source, "oxaSVj");
    assert_eq!(text.matches("sstore(").count(), 2, "{text}");
}

#[test]
fn no_region_covers_another_over_the_end_of_memory() {
    let left = |start: &str| {
        let source = format!(
            "{{ let one := 1 let start := {start} let v := caller() mstore8(one, v) mstore(start, v)
             let z := 0 sstore(z, mload(z)) }}"
        );
        steps(&source, "S").matches("mstore8(").count()
    };
    assert_eq!((left("not(0)"), left("0")), (1, 0));
    let last = format!("0x{}", "f".repeat(64));
    assert_eq!(left(&last), 1);
}

#[test]
fn what_a_case_writes_is_not_known_in_the_next() {
    let loads = |opcode: &str, code: &str| {
        let source = format!("{{ let g := caller() let p := 64 let z := 0 {opcode}store(p, g) {code} }}");
        steps(&source, "L").matches(&format!("{opcode}load(")).count()
    };
    for (opcode, other) in [("m", "s"), ("s", "m")] {
        let switch = |store: &str| {
            format!(
                "switch gas() case 1 {{ {store}store(z, g) }} case 2 {{ pop({opcode}load(p)) }} pop({opcode}load(p))"
            )
        };
        assert_eq!((loads(opcode, &switch(opcode)), loads(opcode, &switch(other))), (2, 0));
        let branch = format!("if gas() {{ {opcode}store(z, g) }} pop({opcode}load(p))");
        assert_eq!(loads(opcode, &branch), 0);
    }
}

#[test]
fn stores_at_parameters_and_shared_results_stay() {
    let at = |variable: &str| {
        let source = format!(
            "{{ f(1) function f(p) {{ let q := p let r, s := g() sstore({variable}, 1) sstore({variable}, 2) }}
             function g() -> x, y {{ x := sload(3) }} }}"
        );
        steps(&source, "S").matches("sstore(").count()
    };
    assert_eq!((at("p"), at("r"), at("q")), (2, 2, 1));
}

#[test]
fn what_depends_on_a_parameter_stays_in_the_loop() {
    let moves = |variable: &str| {
        let source = format!(
            "{{ f(1) function f(p) {{ let q := p for {{ let i := 0 }} lt(i, 9) {{ i := add(i, 1) }} {{
                 let w := add({variable}, 7) sstore(w, i) }} }} }}"
        );
        let text = steps(&source, "ohM");
        text.find("let w").expect("a declaration") < text.find("for {").expect("a loop")
    };
    assert_eq!((moves("p"), moves("q")), (false, true));
}

fn program_with_words(n: usize) -> String {
    let declared: String = (0..n).map(|i| format!("let w{i} := calldataload({i}) ")).collect();
    let used: String = (0..n).map(|i| format!("sstore({i}, w{i}) ")).collect();
    format!("{{ {{ {declared} {used} }} }}")
}

#[test]
fn where_operands_are_pushed_as_evaluated_all_cheap_variables_go() {
    let left = |n: usize, fork: Fork| finish(&program_with_words(n), fork).matches("let ").count();
    assert_eq!(left(16, Fork::Homestead), 16);
    assert_eq!(left(17, Fork::Homestead), 0);
    assert!(left(17, Fork::Cancun) > 0);
}

#[test]
fn what_loops_use_goes_too_and_calls_stay() {
    let words: String = (0..17).map(|i| format!("let w{i} := mload(add({i}, calldataload({i}))) ")).collect();
    let stores: String = (0..17).map(|i| format!("sstore(k, w{i}) ")).collect();
    let source = format!(
        "{{ {{ let k := calldataload(7) let unused := f() {words} for {{ }} gas() {{ }} {{ {stores} }} }}
         function f() -> r {{ }} }}"
    );
    let text = finish(&source, Fork::Homestead);
    assert!(text.contains("pop(f())") && text.contains("sstore(calldataload(7), "), "{text}");
}

#[test]
fn what_nobody_uses_goes_where_something_is_out_of_reach() {
    let left = |n: usize| {
        let parameters = (1..=n).map(|i| format!("p{i}")).collect::<Vec<_>>().join(", ");
        let arguments = vec!["0"; n].join(", ");
        let source = format!(
            "{{ {{ let w := sload(0) f({arguments}) }}
             function f({parameters}) {{ sstore(1, p{n}) sstore(0, p1) }} }}"
        );
        finish(&source, Fork::Homestead).matches("let ").count()
    };
    assert_eq!((left(16), left(17)), (1, 0));
}

/// A function of a size beyond which bodies were moved, and what calls it.
fn large_function(rest: &str) -> String {
    let stores: String = (0..30).map(|i| format!("sstore({i}, v_7_data) ")).collect();
    format!(
        "object \"a\" {{ code {{ mstore(64, memoryguard(128)) {rest}
         function f() -> r {{ let v_7_data := caller() {stores} r := v_7_data }} }} }}"
    )
}

#[test]
fn large_functions_get_new_names_where_they_are_inlined() {
    let text = steps(&large_function("sstore(0, f())"), "hgxi");
    let inlined = text.split("function").next().expect("code");
    assert!(inlined.contains("let v_7_data_") && !inlined.contains("let v_7_data :="), "{text}");
}

#[test]
fn large_functions_are_inlined_where_their_only_call_was_copied() {
    let stores: String = (0..40).map(|i| format!("sstore({i}, caller()) ")).collect();
    let source = format!(
        "object \"a\" {{ code {{ mstore(64, memoryguard(128)) w() sstore(0, 1) w()
         function w() {{ f() }} function f() {{ {stores} }} }} }}"
    );
    let text = steps(&source, "hgxiu");
    assert_eq!(text.matches("function").count(), 0, "{text}");
}

#[test]
fn long_chains_of_large_functions_still_move_into_one_another() {
    const N: usize = 80;
    let stores =
        |i: usize| -> String { (0..30).map(|slot| format!("sstore({slot}, add(p{i}, v{i})) ")).collect() };
    let function = |i: usize| {
        let next = if i + 1 < N { format!("r{i} := add(v{i}, f{}(v{i}))", i + 1) } else { String::new() };
        format!("function f{i}(p{i}) -> r{i} {{ let v{i} := sload(p{i}) {} {next} }} ", stores(i))
    };
    let functions: String = (0..N).map(function).collect();
    let source = format!(
        "object \"a\" {{ code {{ mstore(64, memoryguard(128)) sstore(0, f0(calldataload(0))) {functions} }} }}"
    );
    // What was copied still stands there, and what moved is gone.
    let n_copied = steps(&source, "hgxi").matches("function").count();
    assert!(0 < n_copied && n_copied < N, "{n_copied}");
    let text = steps(&source, "hgxiu");
    assert_eq!(text.matches("function").count(), 0, "{text}");
    let parsed = parse(&text, FileId(0), &Dialect::default());
    let object = parsed.object.expect("a tree");
    let resolved = cairn_yul::resolve(&object, FileId(0), &parsed.names, &Dialect::default());
    assert!(!parsed.diagnostics.has_errors() && !resolved.has_errors(), "{text}");
}
