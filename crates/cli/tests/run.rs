//! `cairn run`: calls in order on one state, with sender, value, block and storage; what they gave back,
//! emitted and cost, in words and in JSON.

mod common;

use common::ends_with;

/// `f(int256)` gives back its argument; `store()` keeps caller and value; `facts()` says the block;
/// `moved()` emits an event; other calls revert: `short()` with an error of its own, `panic()`, `text()`.
fn program() -> String {
    let selector = |signature: &str| {
        format!("case 0x{}", alloy_primitives::hex::encode(&alloy_primitives::keccak256(signature)[..4]))
    };
    let topic = alloy_primitives::keccak256("Moved(address,uint256)");
    let short = alloy_primitives::hex::encode(&alloy_primitives::keccak256("Short(uint256)")[..4]);
    format!(
        r#"{{
            switch shr(224, calldataload(0))
            {} {{ mstore(0, calldataload(4)) return(0, 32) }}
            {} {{ sstore(1, caller()) sstore(2, add(sload(2), callvalue())) }}
            {} {{ mstore(0, sload(1)) mstore(32, sload(2)) mstore(64, sload(3)) return(0, 96) }}
            {} {{ mstore(0, number()) mstore(32, timestamp()) mstore(64, basefee()) return(0, 96) }}
            {} {{ mstore(0, 5) log2(0, 32, {topic}, caller()) }}
            {} {{ mstore(0, shl(224, 0x{short})) mstore(4, 9) revert(0, 36) }}
            {} {{ mstore(0, shl(224, 0x4e487b71)) mstore(4, 0x11) revert(0, 36) }}
            default {{ invalid() }}
        }}"#,
        selector("f(int256)"),
        selector("store()"),
        selector("load()"),
        selector("facts()"),
        selector("moved()"),
        selector("short()"),
        selector("panic()"),
    )
}

#[track_caller]
fn run(arguments: &[&str], code: i32) -> (String, String) {
    ends_with(&[&["run", "-", "--runtime"], arguments].concat(), &program(), code)
}

#[test]
fn one_call_prints_its_result() {
    let (out, err) = run(&["--call", "f(int256)(int256)", "-7", "--gas-report"], 0);
    assert_eq!(out, "-7\n");
    assert!(err.contains("opcode ") && err.contains("note: gas: 2"), "{err}");
    let (out, err) = run(&["-q", "--call", "f(int256)(int256)", "-7"], 0);
    assert_eq!((out.as_str(), err.as_str()), ("-7\n", ""));
    let (out, _) = run(&["--calldata", "0x", "--call", "f(int256)", "1"], 1);
    assert!(out.starts_with("call 1: 0x\nhalted: "), "{out}");
    let (_, err) = run(&["5"], 2);
    assert!(err.contains("arguments need a signature"), "{err}");
    let before = ["run", "--runtime", "--call", "f(int256)(int256)", "-", "-7", "--quiet"];
    assert_eq!(ends_with(&before, &program(), 0).0, "-7\n");
}

#[test]
fn calls_go_on_from_one_state() {
    let sender = "0x00000000000000000000000000000000000000aB";
    let (out, err) = run(
        &[
            "--storage",
            "3=0x2a",
            "--call",
            "store()",
            "--value",
            "1gwei",
            "--call",
            "store()",
            "--from",
            sender,
            "--call",
            "load()(address,uint256,uint256)",
        ],
        0,
    );
    let words: Vec<&str> = out.lines().collect();
    assert_eq!(words[0], "call 1: store()");
    assert_eq!(words[4], "call 3: load()");
    assert_eq!(words[6..], ["1000000000", "42"], "{out}");
    assert!(words[5].eq_ignore_ascii_case(sender), "{out}");
    assert!(err.contains("for 3 calls"), "{err}");
}

#[test]
fn blocks_are_as_told() {
    let facts = "facts()(uint256,uint256,uint256)";
    let block = "number=50,timestamp=1000,basefee=8";
    let (out, _) = run(&["--call", facts, "--call", facts, "--block", block, "--call", facts], 0);
    let numbers: Vec<&str> = out.lines().filter(|line| !line.starts_with("call")).collect();
    assert_eq!(numbers, ["1", "15", "7", "50", "1000", "8", "51", "1015", "8"]);
    let (_, err) = run(&["--call", facts, "--block", "colour=3"], 2);
    assert!(err.contains("timestamp"), "the facts there are: {err}");
}

#[test]
fn events_and_errors_are_decoded() {
    let event = "Moved(address indexed who, uint256 amount)";
    let (out, _) = run(&["--event", event, "--call", "moved()"], 0);
    assert!(out.contains("Moved(who: 0x") && out.contains(", amount: 5)"), "{out}");
    let (_, err) = run(&["--error", "Short(uint256 left)", "--call", "short()"], 1);
    assert!(err.contains("reverted: Short(9)"), "{err}");
    let (_, err) = run(&["--call", "panic()"], 1);
    assert!(err.contains("Panic(0x11): arithmetic overflow"), "{err}");
    let (out, err) = run(&["--call", "panic()", "--call", "f(int256)(int256)", "3"], 1);
    assert!(out.ends_with("call 2: f(int256)\n3\n"), "later calls are made: {out}");
    assert!(err.contains("call 1: panic(): reverted: "), "{err}");
}

#[test]
fn an_abi_names_functions() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let path = directory.path().join("abi.json");
    let abi = r#"{"abi":[{"type":"function","name":"f","inputs":[{"name":"x","type":"int256"}],
        "outputs":[{"name":"","type":"int256"}],"stateMutability":"pure"},
        {"type":"event","name":"Moved","anonymous":false,"inputs":[
            {"name":"who","type":"address","indexed":true},{"name":"amount","type":"uint256","indexed":false}]}]}"#;
    std::fs::write(&path, abi).expect("the directory can be written");
    let path = path.display().to_string();
    let (out, _) = run(&["--abi", &path, "--call", "f", "-3", "--call", "moved()"], 0);
    assert!(out.starts_with("call 1: f(int256)\n-3\n") && out.contains("amount: 5"), "{out}");
    let (_, err) = run(&["--abi", &path, "--call", "g"], 2);
    assert!(err.contains("`g`"), "{err}");
}

#[test]
fn a_trace_has_a_header() {
    let (_, err) = run(&["--call", "f(int256)", "1", "--trace"], 0);
    let mut lines = err.lines();
    assert_eq!(lines.next(), Some("call 1: f(int256)"));
    let columns: Vec<&str> = lines.next().expect("a header").split_whitespace().collect();
    assert_eq!(columns, ["depth", "pc", "opcode", "gas", "left", "cost", "stack,", "top", "first"]);
    let step: Vec<&str> = lines.next().expect("a step").split_whitespace().collect();
    assert_eq!(step[..2], ["0", "0"]);
}

#[test]
fn results_as_json() {
    let (out, _) = run(&["--call", "f(int256)(int256)", "-7", "--call", "panic()", "--format", "json"], 1);
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let calls = &json["calls"];
    assert_eq!((&calls[0]["results"][0], &calls[0]["status"]), (&"-7".into(), &"success".into()));
    assert_eq!(calls[1]["reason"], "Panic(0x11): arithmetic overflow");
    let total = |call: &serde_json::Value| call["gas"]["total"].as_u64().expect("a number");
    assert_eq!(json["gas"].as_u64(), Some(total(&calls[0]) + total(&calls[1])));
}
