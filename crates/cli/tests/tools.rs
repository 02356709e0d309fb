//! What helps people who work on programs and on the compiler: remarks, fuel, passes left out,
//! statistics, reduction.

mod common;

use common::ends_with;

/// A function that is worth inlining, one that is not, and one that cannot be.
const PROGRAM: &str = r#"{
    mstore(0x40, memoryguard(0x80))
    let a := calldataload(0)
    sstore(0, small(a))
    sstore(1, small(add(a, 1)))
    sstore(2, deep(a))
    function small(x) -> y { y := mul(x, 3) }
    function deep(n) -> r { if n { r := add(deep(sub(n, 1)), n) } }
}
"#;

#[test]
fn remarks_say_what_was_inlined_and_at_what_cost() {
    let (out, err) = ends_with(&["build", "--remarks", "-"], PROGRAM, 0);
    assert_eq!(ends_with(&["build", "-"], PROGRAM, 0), (out, String::new()));
    let about = |callee: &str| -> Vec<&str> { err.lines().filter(|line| line.contains(callee)).collect() };
    assert!(
        about("`@small` inlined").iter().all(|line| line.contains("gas") && line.contains("bytes")),
        "{err}"
    );
    assert!(!about("call of `@small` inlined").is_empty(), "{err}");
    assert!(!about("call of `@deep` not inlined: it can be active twice").is_empty(), "{err}");
}

#[test]
fn remarks_name_values_that_live_in_memory() {
    let names: Vec<String> = (0..24).map(|n| format!("v{n}")).collect();
    let lets: String = names.iter().enumerate().map(|(n, v)| format!("let {v} := sload({n})\n")).collect();
    let uses: String = names.iter().map(|v| format!("sstore(add({v}, 1), {v})\n")).collect();
    let program = format!("{{ mstore(0x40, memoryguard(0x80))\n{lets}{uses}{uses} }}");
    let (_, err) = ends_with(&["build", "-O1", "--remarks", "-"], &program, 0);
    let spilled = |line: &&str| line.starts_with("remark: stackify: ") && line.contains("lives in memory");
    assert!(err.lines().any(|line| spilled(&line) && line.contains("gas a run")), "{err}");
}

#[test]
fn fuel_stops_the_optimizer_and_says_where() {
    let (unoptimized, err) = ends_with(&["build", "--fuel", "0", "--emit", "canonical", "-"], PROGRAM, 0);
    assert!(!err.contains("remark: fuel"), "{err}");
    assert!(unoptimized.contains("@small"));
    let (_, err) = ends_with(&["build", "--fuel", "2", "-"], PROGRAM, 0);
    assert!(err.contains("remark: fuel: the last run is `promote` on `@"), "{err}");
    let (all, _) = ends_with(&["build", "--fuel", "1000000", "-"], PROGRAM, 0);
    assert_eq!(all, ends_with(&["build", "-"], PROGRAM, 0).0);
}

#[test]
fn passes_can_be_left_out() {
    let calls = |arguments: &[&str]| {
        let (out, _) =
            ends_with(&[&["build", "--emit", "canonical"], arguments, &["-"]].concat(), PROGRAM, 0);
        out.matches("icall @small").count()
    };
    assert_eq!((calls(&[]), calls(&["--skip-pass", "inline,merge-functions"])), (0, 2));
}

#[test]
fn statistics_compare_stack_operations_with_their_bound() {
    let (out, _) = ends_with(&["build", "--emit", "stats", "-"], PROGRAM, 0);
    let stats: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let stack = &stats["stack"];
    let [gas, bound, ratio] =
        ["gas", "gas_bound", "ratio"].map(|field| stack[field].as_f64().expect("a number"));
    assert!(bound > 0.0 && gas >= bound && (ratio - gas / bound).abs() < 1e-3, "{out}");
    let (spec, _) = ends_with(&["build", "--spec", "--emit", "stats", "-"], PROGRAM, 0);
    let spec: serde_json::Value = serde_json::from_str(&spec).expect("JSON");
    assert!(spec["stack"]["ratio"].as_f64() > Some(ratio), "{spec}");
}

#[test]
fn reduction_keeps_what_the_command_asks_for() {
    let test = "grep -q 'sload(add(' {}";
    let program =
        "{ let x := calldataload(0) if x { sstore(0, sload(add(x, 1))) } mstore(0, x) return(0, 32) }";
    let (out, _) = ends_with(&["reduce", "--test", test, "-"], program, 0);
    assert!(out.contains("sload(add(") && !out.contains("mstore") && !out.contains("if"), "{out}");
    ends_with(&["verify", "-"], &out, 0);
    let (_, err) = ends_with(&["reduce", "--test", "false", "-"], program, 1);
    assert!(err.contains("`false` fails on the program as it is"), "{err}");
    let (_, err) = ends_with(&["reduce", "--test", "true", "-"], "0x6000", 1);
    assert!(err.contains("only Yul and EVM-IR"), "{err}");
}

#[cfg(unix)]
#[test]
fn a_reduction_that_is_interrupted_prints_what_it_has() {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::create_dir(path("tmp")).expect("the folder can be written");
    // The second program that is tried is smaller and shows the fault; the third meets Ctrl-C.
    let count = path("count");
    let test = format!("echo >> {count}; test $(wc -l < {count}) -lt 3 || kill -INT $PPID");
    let program = "{ sstore(0, 1) sstore(1, 2) sstore(2, 3) sstore(3, 4) }";
    std::fs::write(path("a.yul"), program).expect("the folder can be written");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.args(["reduce", "--test", &test, &path("a.yul")]).env("TMPDIR", path("tmp"));
    let output = command.output().expect("the program starts");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert!(out.matches("sstore").count() == 2 && err.contains("the search was stopped"), "{out}{err}");
    assert_eq!(std::fs::read_dir(path("tmp")).expect("a folder").count(), 0);
}

// Shows S004-39.
#[test]
fn strict_analysis_refuses_stacks_that_do_not_add_up() {
    let (_, err) = ends_with(&["analyze", "--strict", "-"], "5000", 1);
    assert!(err.contains("blocks that can find too few words: 1"), "{err}");
    let (_, err) = ends_with(&["analyze", "--strict", "-"], "6000356009576001335b366000575b00", 1);
    assert!(err.contains("entered with different heights"), "{err}");
    ends_with(&["analyze", "--strict", "-"], "600456fe5b00", 0);
}

#[test]
fn functions_have_the_names_that_a_list_or_an_abi_gives() {
    // PUSH0 CALLDATALOAD PUSH1 e0 SHR PUSH4 26121ff0 EQ PUSH1 10 JUMPI PUSH0 STOP; JUMPDEST STOP
    let code = "5f3560e01c6326121ff0146010575f005b00";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("names");
    let analyze = |text: &str, exit| {
        std::fs::write(&path, text).expect("the file can be written");
        ends_with(&["analyze", "-", "--signatures", path.to_str().expect("UTF-8")], code, exit)
    };
    let abi = r#"[{"type":"function","name":"f","inputs":[],"outputs":[],"stateMutability":"view"}]"#;
    for text in [abi, "0x26121ff0: f()\n0x00000000: g(uint8)", "f()"] {
        assert!(analyze(text, 0).0.contains(": f() payable"), "{text}");
    }
    let (_, err) = analyze("# names\n\n0x1: f(uint", 1);
    assert!(err.contains("names:3:"), "{err}");
    assert!(analyze("no signature at all", 0).1.is_empty());
}
