//! `cairn diff`: what is the same is told from what differs, with gas and size side by side, and
//! nothing compared from both.

mod common;

use common::ends_with;
use std::path::{Path, PathBuf};

/// A program that gives back what `result` says of its argument.
fn program(result: &str) -> String {
    format!(
        r#"object "a" {{
            code {{ datacopy(0, dataoffset("r"), datasize("r")) return(0, datasize("r")) }}
            object "r" {{ code {{ mstore(0, {result}) return(0, 32) }} }}
        }}"#
    )
}

/// Two programs in files of their own.
struct Programs {
    _directory: tempfile::TempDir,
    paths: [String; 3],
}

impl Programs {
    /// Two programs and a file of calls.
    fn new(programs: [&str; 2], extension: &str, calls: &str) -> Self {
        let directory = tempfile::tempdir().expect("there is room for temporary files");
        let names = [format!("a.{extension}"), format!("b.{extension}"), "calls".to_owned()];
        let paths = names.map(|name| directory.path().join(name));
        for (path, text) in paths.iter().zip([programs[0], programs[1], calls]) {
            std::fs::write(path, text).expect("the directory can be written");
        }
        let paths = paths.map(|path: PathBuf| path.display().to_string());
        Programs { _directory: directory, paths }
    }

    /// Output and messages of a comparison that ends with `code`.
    #[track_caller]
    fn diff(&self, arguments: &[&str], code: i32) -> (String, String) {
        let all = [&["diff", &self.paths[0], &self.paths[1]], arguments].concat();
        ends_with(&all, "", code)
    }

    #[track_caller]
    fn diff_calls(&self, arguments: &[&str], code: i32) -> (String, String) {
        self.diff(&[&["--calls", &self.paths[2]], arguments].concat(), code)
    }
}

const TWICE: &str = "add(calldataload(4), calldataload(4))";
const POWER: &str = "exp(calldataload(4), 2)";

fn yul(results: [&str; 2], calls: &str) -> Programs {
    let [a, b] = results.map(program);
    Programs::new([&a, &b], "yul", calls)
}

#[test]
fn programs_that_do_the_same_are_measured_side_by_side() {
    let calls = "# Two calls where twice a number is its square.\nf(uint256) 0\n\nf(uint256) 2\n";
    let (out, err) = yul([TWICE, POWER], calls).diff_calls(&[], 0);
    assert_eq!(err, "");
    let row = |name: &str| -> Vec<f64> {
        let line = out.lines().find_map(|line| line.strip_prefix(name)).expect("there is such a row");
        line.split_whitespace().map(|number| number.parse().expect("a number")).collect()
    };
    for name in ["runtime bytes", "deploy gas", "call 1 gas", "call 2 gas"] {
        let [a, b, ratio] = row(name)[..] else { panic!("{name} has three numbers: {out}") };
        assert!(a > 0.0 && b > 0.0 && (b / a - ratio).abs() < 0.001, "{out}");
    }
    let gas = row("call 2 gas");
    assert!(gas[1] > gas[0], "a power costs more than an addition: {out}");
    assert!(!out.contains("call 3 gas"), "{out}");
}

#[test]
fn all_calls_that_differ_are_shown_and_it_fails() {
    let calls = "f(uint256) 2\nf(uint256) 3\nf(uint256) 2\nf(uint256) 5\n";
    let (out, err) = yul([TWICE, POWER], calls).diff_calls(&[], 1);
    assert_eq!(err, "error: the programs differ: 2 differences\n");
    assert!(out.contains("call 4 gas"), "{out}");
    let last = |words: &str| out.lines().any(|line| line.trim_start().starts_with(words));
    assert!(last("A: succeeds: 0x0000") && out.contains("difference 2: output"), "{out}");
    let results: Vec<&str> =
        out.lines().filter_map(|line| line.split("succeeds: ").nth(1)).map(|hex| &hex[62..]).collect();
    assert_eq!(results, ["000006", "000009", "00000a", "000019"].map(|word| &word[2..]), "{out}");
}

#[test]
fn calls_that_cannot_be_read_are_refused_with_their_line() {
    let (_, err) = yul([TWICE, TWICE], "f(uint256) 2\nnonsense\n").diff_calls(&[], 2);
    assert!(err.contains("calls:2: "), "{err}");
}

#[test]
fn a_difference_is_found_without_calls() {
    let (out, _) = yul([TWICE, POWER], "").diff(&[], 1);
    assert!(out.contains(": output") && out.contains("30000 calls (seed 1)"), "{out}");
    let (json, _) = yul([TWICE, POWER], "").diff(&["--format", "json", "--random", "200"], 1);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["verdict"], "different");
    assert_eq!(json["differences"][0]["differs"][0]["what"], "output");
    assert_eq!(json["differences"][0]["steps"].as_array().map(Vec::len), Some(1), "{json}");
    let (again, _) = yul([TWICE, POWER], "").diff(&[], 1);
    assert_eq!(out, again, "the same seed gives the same report");
}

#[test]
fn nothing_compared_is_said() {
    // Runtime code as creation code: it reverts, or leaves nothing to call.
    for code in ["60006000fd", "00", "5f5f5ff0"] {
        let programs = Programs::new([code, code], "hex", "0x\n");
        let (_, err) = programs.diff(&[], 2);
        assert!(err.contains("nothing was compared") && err.contains("--runtime"), "{code}: {err}");
        let (_, err) = programs.diff_calls(&[], 2);
        assert!(err.contains("nothing was compared"), "{code}: {err}");
    }
    let (_, err) = yul([TWICE, TWICE], "").diff(&["--random", "0"], 2);
    assert!(err.contains("nothing to compare"), "{err}");
    let (_, err) = yul([TWICE, TWICE], "# none\n").diff_calls(&[], 2);
    assert!(err.contains("nothing to compare"), "{err}");
}

#[test]
fn runtime_code_is_called_as_it_is() {
    // return(0, calldatasize()) after mstore(0, calldataload(0)), and one with a byte less.
    let codes = ["5f355f52365ff3", "5f355f5260013603 5ff3"];
    let programs = Programs::new([codes[0], codes[0]], "hex", "0x010203\n");
    let (out, _) = programs.diff(&["--runtime"], 0);
    assert!(!out.contains("deploy gas") && out.contains("runtime bytes"), "{out}");
    programs.diff_calls(&["--runtime"], 0);
    let programs = Programs::new(codes, "hex", "0x010203\n");
    programs.diff(&["--runtime"], 1);
    let (out, _) = programs.diff_calls(&["--runtime"], 1);
    assert!(out.contains("A: succeeds: 0x010203\n") && out.contains("B: succeeds: 0x0102\n"), "{out}");
}

#[test]
fn deployments_are_compared() {
    let good = program("1");
    let bad = "{ revert(0, 0) }";
    let (out, _) =
        Programs::new([&good, bad], "yul", "0x\n").diff(&["--random", "0", "--calls", "/dev/null"], 2);
    assert_eq!(out, "");
    for arguments in [&[][..], &["--random", "10"]] {
        let (out, _) = Programs::new([&good, bad], "yul", "0x\n").diff(arguments, 1);
        assert!(out.contains("A: deploys") && out.contains("B: reverts: no data"), "{out}");
    }
    let stored = |key: &str| {
        good.replacen(
            "code {",
            &format!("code {{ codecopy(0, datasize(\"a\"), 32) sstore(0, and(mload(0), {key}))"),
            1,
        )
    };
    let programs = Programs::new([&stored("0xff"), &stored("0xf")], "yul", "0x\n");
    let argument = |last: &str| format!("{}{last}", "00".repeat(31));
    programs.diff_calls(&["--constructor-args", &argument("0e")], 0);
    let (out, _) = programs.diff_calls(&["--constructor-args", &argument("1e")], 1);
    assert!(out.contains("storage of") && out.contains("A 0x1e, B 0xe"), "{out}");
    programs.diff(&[], 1);
}

#[test]
fn libraries_without_an_address_are_named() {
    let program = program("linkersymbol(\"L\")");
    let programs = Programs::new([&program, &program], "yul", "");
    let (_, err) = programs.diff(&[], 2);
    assert!(err.contains("--libraries"), "{err}");
    programs.diff(&["--libraries", "L=0x00000000000000000000000000000000000000aa"], 0);
}

#[test]
fn names_come_from_an_abi() {
    let abi = r#"[{"type":"function","name":"twice","inputs":[{"name":"x","type":"uint256"}],"outputs":[]}]"#;
    let programs = yul([TWICE, POWER], "twice 3\n");
    let path = Path::new(&programs.paths[2]).with_extension("json");
    std::fs::write(&path, abi).expect("the directory can be written");
    let (out, _) = programs.diff_calls(&["--abi", &path.display().to_string()], 1);
    assert!(out.contains("  1 twice(3), from 0x"), "{out}");
}

/// A contract, and one change of it that does something else.
struct Mutant {
    file: &'static str,
    from: &'static str,
    to: &'static str,
}

const MUTANTS: [Mutant; 12] = [
    Mutant {
        file: "../../../../examples/erc20.yul",
        from: "if not(allowed) { sstore(slot, sub(allowed, amount)) }",
        to: "if not(allowed) { sstore(slot, allowed) }",
    },
    Mutant {
        file: "../../../../examples/counter.eir",
        from: "%one = evm.constant 1 : u256",
        to: "%one = evm.constant 2 : u256",
    },
    Mutant { file: "vault.yul", from: "if gt(amount, held) {", to: "if gt(amount, add(held, 1)) {" },
    Mutant { file: "auction.yul", from: "if sload(4) { revert(0, 0) }", to: "" },
    Mutant { file: "multisig.yul", from: "gt(count(bits), 1)", to: "gt(count(bits), 2)" },
    Mutant { file: "text.yul", from: "switch lt(length, 32)", to: "switch lt(length, 33)" },
    Mutant { file: "dispatcher.yul", from: "if gt(calldatasize(), 3) {", to: "if gt(calldatasize(), 4) {" },
    Mutant { file: "events.eir", from: "%less = evm.lt %a, %b", to: "%less = evm.slt %a, %b" },
    Mutant { file: "fees.yul", from: "if gt(amount, 1000000)", to: "if gt(amount, 1000001)" },
    Mutant {
        file: "lock.yul",
        from: "mstore(0, sload(0)) tstore(0, 0) return(0, 32)",
        to: "mstore(0, sload(0)) return(0, 32)",
    },
    Mutant {
        file: "../../../../examples/loop.yul",
        from: "lt(i, calldatasize())",
        to: "lt(add(i, 0x1f), calldatasize())",
    },
    Mutant { file: "factory.yul", from: "mul(salt, 2))", to: "mul(salt, 3))" },
];

/// At least this many of the mutants are found.
const FOUND: usize = 11;

fn contract(file: &str) -> String {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/contracts")).join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// How the contract is to be taken.
fn flags(file: &str) -> &'static [&'static str] {
    let is_runtime = file.ends_with(".eir") || file.ends_with("loop.yul");
    if is_runtime { &["--runtime"] } else { &[] }
}

#[test]
fn mutants_are_found_without_calls() {
    let mut missed = Vec::new();
    for mutant in &MUTANTS {
        let original = contract(mutant.file);
        assert!(original.contains(mutant.from), "{}", mutant.file);
        let changed = original.replacen(mutant.from, mutant.to, 1);
        let extension = mutant.file.rsplit('.').next().expect("there is a name");
        let programs = Programs::new([&original, &changed], extension, "");
        let all = [&["diff", &programs.paths[0], &programs.paths[1]], flags(mutant.file)].concat();
        let output = common::cairn(&all, "");
        match output.status.code() {
            Some(1) => {}
            Some(0) => missed.push(mutant.file),
            other => panic!("{}: {other:?} {}", mutant.file, String::from_utf8_lossy(&output.stderr)),
        }
    }
    assert!(MUTANTS.len() - missed.len() >= FOUND, "missed: {missed:?}");
}

#[test]
fn two_levels_of_a_contract_do_the_same() {
    for mutant in &MUTANTS {
        let extension = mutant.file.rsplit('.').next().expect("there is a name");
        let source = Programs::new([&contract(mutant.file), ""], extension, "");
        let build = |level: &str| ends_with(&["build", level, &source.paths[0]], "", 0).0;
        let programs = Programs::new([&build("-O0"), &build("-Os")], "hex", "");
        let (out, _) = programs.diff(&[flags(mutant.file), &["--random", "8000"]].concat(), 0);
        assert!(!out.contains(": 0 succeed"), "{}: {out}", mutant.file);
    }
}
