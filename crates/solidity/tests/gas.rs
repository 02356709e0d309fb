//! `evm.gasEstimates` against executions: no call takes more than is estimated.
//!
//! The recorded contracts of the corpus are found by `CAIRN_CORPUS` or at `../shared/corpus` beside the
//! workspace; without it their test says so and passes.

#![cfg(unix)]

mod fake;

use cairn_exec::{Bytes, Environment as Chain, Machine, Message, Status, U256};
use fake::Fake;
use serde_json::{Map, Value, json};
use std::io::Read;
use std::path::PathBuf;

/// One in so many recorded contracts is taken at each level.
const SAMPLE: usize = 12;

/// The `evm` part of the answer for a contract with this Yul and these functions by selector.
fn compiled(yul: &str, functions: &Map<String, Value>, level: &str, fork: &str) -> Value {
    let evm = json!({ "methodIdentifiers": functions });
    let contract = json!({ "ir": yul, "metadata": "{}", "evm": evm });
    let given = json!({ "contracts": { "a.sol": { "A": contract } }, "sources": {} });
    let settings = json!({
        "cairn": { "level": level },
        "evmVersion": fork,
        "outputSelection": { "*": { "*": ["evm.gasEstimates", "evm.bytecode.object"] } },
    });
    let sources = json!({ "a.sol": { "content": "contract A { }" } });
    let request = json!({ "language": "Solidity", "settings": settings, "sources": sources });
    let answer = Fake::new(&given).answer(&request);
    answer["contracts"]["a.sol"]["A"]["evm"].clone()
}

fn hex(value: &Value) -> Vec<u8> {
    cairn_evm::hex::decode(value.as_str().unwrap_or_default()).unwrap_or_default()
}

const OTHERS: &str = r#"
/// @use-src 0:"a.sol"
object "A_1" { code {
  mstore(64, memoryguard(128))
  codecopy(0, dataoffset("A_1_deployed"), datasize("A_1_deployed"))
  return(0, datasize("A_1_deployed")) }
/// @use-src 0:"a.sol"
object "A_1_deployed" {
  /// @src 0:0:900
  code {
  mstore(64, memoryguard(128))
  if iszero(lt(calldatasize(), 4)) {
    switch shr(224, calldataload(0))
    case 0x11111111 { fun_store_10(calldataload(4), 7) fun_behind_13(9) stop() }
    case 0x22222222 { fun_loop_11(calldataload(4)) fun_loop_11(3) stop() }
    case 0x33333333 { mstore(0, add(fun_sum_12(calldataload(4), 1), fun_sum_12(3, 4))) return(0, 32) }
    default { }
  }
  if iszero(calldatasize()) { sstore(0, 1) sstore(1, 1) stop() }
  fun__14()
  if eq(shr(224, calldataload(0)), 0x44444444) { sstore(2, 1) sstore(3, 1) sstore(4, 1) }
  stop()
  /// @src 0:100:200
  function fun_store_10(var_key_2, var_value_3) { sstore(var_key_2, var_value_3) sstore(fun_sum_12(var_key_2, 2), 1) }
  /// @src 0:200:300
  function fun_loop_11(var_n_4) { for { let i := 0 } lt(i, var_n_4) { i := add(i, 1) } { sstore(i, i) } }
  /// @src 0:300:400
  function fun_sum_12(var_a_5, var_b_6) -> var_r_7 { var_r_7 := add(var_a_5, mul(var_b_6, sload(3))) }
  /// @src 0:400:500
  function fun_behind_13(var_a_8) { modifier_once_40(var_a_8) fun_behind_13_inner(1) }
  /// @src 0:400:500
  function modifier_once_40(var_a_8) { if sload(0) { fun_behind_13_inner(var_a_8) } }
  /// @src 0:400:500
  function fun_behind_13_inner(var_a_8) { sstore(9, var_a_8) }
  /// @src 0:500:600
  function fun__14() { sstore(5, calldatasize()) }
} } }"#;

/// The answer for the code above, with what a front end says of its source.
fn others(level: &str) -> (Fake, Value) {
    let names =
        json!({ "store(uint256)": "11111111", "loop(uint256)": "22222222", "sum(uint256)": "33333333" });
    let abi = json!([{ "type": "fallback" }, { "type": "receive" }]);
    let contract =
        json!({ "ir": OTHERS, "metadata": "{}", "abi": abi, "evm": { "methodIdentifiers": names } });
    let number = json!({ "nodeType": "ElementaryTypeName", "typeDescriptions": { "typeString": "uint256" } });
    let number =
        json!({ "nodeType": "VariableDeclaration", "storageLocation": "default", "typeName": number });
    let function = |id: u64, name: &str, visibility: &str, count: usize| {
        json!({ "nodeType": "FunctionDefinition", "id": id, "name": name, "visibility": visibility,
                "parameters": { "parameters": vec![number.clone(); count] } })
    };
    let functions = [
        function(10, "store", "internal", 2),
        function(11, "loop", "private", 1),
        function(12, "sum", "internal", 2),
        function(13, "behind", "internal", 1),
        function(14, "", "external", 0),
        function(15, "unused", "internal", 0),
    ];
    let definition = json!({ "nodeType": "ContractDefinition", "name": "A", "nodes": functions });
    let tree = json!({ "nodeType": "SourceUnit", "nodes": [definition] });
    let given = json!({ "contracts": { "a.sol": { "A": contract } }, "sources": { "a.sol": { "id": 0, "ast": tree } } });
    let settings = json!({
        "cairn": { "level": level },
        "evmVersion": "cancun",
        "outputSelection": { "*": { "*": ["evm.gasEstimates", "evm.bytecode.object"] } },
    });
    let sources = json!({ "a.sol": { "content": "contract A { }" } });
    let request = json!({ "language": "Solidity", "settings": settings, "sources": sources });
    let fake = Fake::new(&given);
    let answer = fake.answer(&request);
    (fake, answer)
}

#[test]
fn other_calls_and_inner_functions_have_bounds_that_hold() {
    for level in ["0", "1", "2", "3", "s"] {
        let (fake, answer) = others(level);
        assert_eq!(answer["sources"]["a.sol"], json!({ "id": 0 }), "the tree was not asked for");
        let found = &answer["contracts"]["a.sol"]["A"];
        assert_eq!(found["abi"], Value::Null, "nor the ABI");
        let asked = &fake.request()["settings"]["outputSelection"]["*"];
        assert_eq!(asked[""], json!(["ast"]));
        let estimates = &found["evm"]["gasEstimates"];
        // Any call may have the fourth name, which the source compares with.
        let most = gas(&estimates["external"][""]).unwrap_or_else(|| panic!("-O{level}: {estimates}"));
        assert!((88_400..88_900).contains(&most), "-O{level}: {estimates}");
        let mut machine = Machine::new(Chain { fork: cairn_evm::Fork::Cancun, ..Chain::default() });
        let made = machine.deploy(&Message::new(hex(&found["evm"]["bytecode"]["object"]))).expect("deployed");
        let address = made.created.expect("an account");
        for data in ["44444444", "11", "111111", "11111112"] {
            let spent = machine.call(address, &Message::new(hex(&Value::from(data)))).expect("called").gas;
            assert!(spent.execution <= most, "-O{level} {data}: {} of {most}", spent.execution);
        }
        let inner = &estimates["internal"];
        let names: Vec<&String> = inner.as_object().expect("names").keys().collect();
        let all = [
            "behind(uint256)",
            "loop(uint256)",
            "store(uint256,uint256)",
            "sum(uint256,uint256)",
            "unused()",
        ];
        assert_eq!(names, all);
        let bounds = ["loop(uint256)", "unused()"].map(|name| gas(&inner[name]));
        assert_eq!(bounds, [None; 2], "-O{level}: {inner}");
        let bounds = ["store(uint256,uint256)", "sum(uint256,uint256)", "behind(uint256)"]
            .map(|name| gas(&inner[name]));
        if level == "0" {
            let [store, sum, behind] = bounds.map(|bound| bound.expect("a bound"));
            assert!((46_300..46_600).contains(&behind), "{inner}");
            assert!((2100..2200).contains(&sum), "{inner}");
            assert!((46_300..46_600).contains(&store), "{inner}");
        } else {
            assert_eq!(bounds, [None; 3], "-O{level}: {inner}");
        }
    }
}

/// A number, or none for `infinite`.
fn gas(value: &Value) -> Option<u64> {
    value.as_str().expect("a text").parse().ok()
}

const COUNTER: &str = r#"
object "A_1" { code {
  mstore(64, memoryguard(128))
  codecopy(0, dataoffset("A_1_deployed"), datasize("A_1_deployed"))
  setimmutable(0, "7", 5)
  return(0, datasize("A_1_deployed")) }
object "A_1_deployed" { code {
  mstore(64, memoryguard(128))
  if iszero(lt(calldatasize(), 4)) {
    switch shr(224, calldataload(0))
    case 0x11111111 { if callvalue() { revert(0, 0) } mstore(mload(64), sload(0)) return(mload(64), 32) }
    case 0x22222222 { sstore(0, add(sload(0), calldataload(4))) stop() }
    case 0x33333333 { for { let i := 0 } lt(i, calldataload(4)) { i := add(i, 1) } { sstore(i, i) } stop() }
    case 0x44444444 { for { let i := 0 } lt(i, 3) { i := add(i, 1) } { sstore(i, 1) } stop() }
    case 0x55555555 { pop(call(gas(), 1, 0, 0, 0, 0, 0)) stop() }
    case 0x66666666 { if loadimmutable("7") { sstore(1, 1) } stop() }
    case 0x77777777 { mstore(calldataload(4), 1) return(0, 64) }
    default { }
  }
  pop(call(gas(), 1, 0, 0, 0, 0, 0)) revert(0, 0) } } }"#;

/// Where no function takes wei, one check of value before the dispatch, which may lie in the place that the name is read
/// from, serves all.
#[test]
fn functions_that_take_no_wei_have_bounds_of_their_own() {
    let function = |digit: &str, body: &str| {
        format!("case 0x{} {{ if callvalue() {{ revert(0, 0) }} {body} }} ", digit.repeat(8))
    };
    let functions = [
        function("1", "mstore(0, sload(0)) return(0, 32)"),
        function("2", "sstore(0, calldataload(4)) stop()"),
        function("3", "for { let i := 0 } lt(i, calldataload(4)) { i := add(i, 1) } { sstore(i, i) } stop()"),
    ];
    let dispatch = format!(
        "if iszero(lt(calldatasize(), 4)) {{ switch shr(224, calldataload(0)) {} default {{ }} }} revert(0, 0)",
        functions.concat()
    );
    let yul = format!(
        "object \"A_1\" {{ code {{ codecopy(0, dataoffset(\"A_1_deployed\"), datasize(\"A_1_deployed\")) \
         return(0, datasize(\"A_1_deployed\")) }} object \"A_1_deployed\" {{ code {{ {dispatch} }} }} }}"
    );
    let names = ["get()", "set(uint256)", "fill(uint256)"];
    let digits = ["1", "2", "3"].map(|digit| Value::from(digit.repeat(8)));
    let names: Map<String, Value> = names.map(str::to_owned).into_iter().zip(digits).collect();
    for level in ["0", "1", "2", "3", "s"] {
        let found = compiled(&yul, &names, level, "cancun")["gasEstimates"]["external"].clone();
        let [get, set, fill] = ["get()", "set(uint256)", "fill(uint256)"].map(|name| gas(&found[name]));
        assert!(get.is_some_and(|gas| (2_100..2_300).contains(&gas)), "-O{level}: {found}");
        assert!(set.is_some_and(|gas| (22_100..22_400).contains(&gas)), "-O{level}: {found}");
        assert_eq!(fill, None, "-O{level}: {found}");
    }
}

#[test]
fn functions_have_bounds_that_hold() {
    let names = ["get()", "add(uint256)", "fill(uint256)", "three()", "call()", "fixed()", "far(uint256)"];
    let digits = ["1", "2", "3", "4", "5", "6", "7"].map(|digit| Value::from(digit.repeat(8)));
    let functions: Map<String, Value> = names.map(str::to_owned).into_iter().zip(digits).collect();
    for level in ["0", "1", "2", "s"] {
        let evm = compiled(COUNTER, &functions, level, "cancun");
        let found = &evm["gasEstimates"]["external"];
        let of = |name: &str| gas(&found[name]);
        let all = ["get()", "add(uint256)", "three()", "fixed()"].map(|name| of(name).expect("a bound"));
        assert!((2100..2500).contains(&all[0]), "-O{level}: {found}");
        assert!(
            (24_200..24_600).contains(&all[1]) && (66_300..67_000).contains(&all[2]),
            "-O{level}: {found}"
        );
        assert!((22_100..22_400).contains(&all[3]), "an immutable may be true, -O{level}: {found}");
        assert_eq!((of("fill(uint256)"), of("call()"), of("far(uint256)")), (None, None, None), "-O{level}");
        let creation = &evm["gasEstimates"]["creation"];
        let [deposit, execution, total] = ["codeDepositCost", "executionCost", "totalCost"]
            .map(|name| gas(&creation[name]).expect("a bound"));
        assert_eq!(deposit + execution, total);
        assert_eq!(evm["methodIdentifiers"], Value::Null, "not asked for");
        let mut machine = Machine::new(Chain { fork: cairn_evm::Fork::Cancun, ..Chain::default() });
        let made = machine.deploy(&Message::new(hex(&evm["bytecode"]["object"]))).expect("deployed");
        assert!(made.gas.execution <= total, "-O{level}: {} of {total}", made.gas.execution);
        let address = made.created.expect("an account");
        for (name, digits) in &functions {
            let data = [hex(digits), vec![0; 31], vec![1]].concat();
            let outcome = machine.call(address, &Message::new(data)).expect("called");
            let spent = outcome.gas.execution;
            assert!(of(name).is_none_or(|most| spent <= most), "-O{level} {name}: {spent} of {found}");
        }
    }
}

fn recorded() -> Vec<Value> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus");
    let folder = std::env::var_os("CAIRN_CORPUS").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    let Ok(file) = std::fs::File::open(folder.join("semantic/semantic-dev.jsonl.gz")) else {
        #[expect(clippy::print_stderr, reason = "a test says what it skips")]
        {
            eprintln!("calls_take_no_more_than_is_estimated is skipped: there is no corpus");
        }
        return Vec::new();
    };
    let mut text = String::new();
    _ = flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn calls_take_no_more_than_is_estimated() {
    let (mut bounded, mut calls) = (0, 0);
    for (index, case) in recorded().iter().enumerate() {
        let level = match index % SAMPLE {
            0 => "2",
            6 => "0",
            _ => continue,
        };
        let steps = || case["steps"].as_array().into_iter().flatten();
        let functions = steps().filter_map(|step| {
            let selector = step["calldata"].as_str()?.get(..8)?;
            Some((step["signature"].as_str()?.to_owned(), Value::from(selector)))
        });
        let functions: Map<String, Value> = functions.collect();
        let fork = case["evm_version"].as_str().expect("a fork");
        let evm = compiled(case["yul"].as_str().expect("Yul"), &functions, level, fork);
        let code = [hex(&evm["bytecode"]["object"]), hex(&case["constructor_args"])].concat();
        let mut machine = Machine::new(Chain { fork: fork.parse().expect("a fork"), ..Chain::default() });
        let Some(address) = machine.deploy(&Message::new(code)).ok().and_then(|made| made.created) else {
            continue;
        };
        for step in steps() {
            let value: U256 = step["value"].as_str().unwrap_or("0").parse().expect("a number");
            let message = Message::new(Bytes::from(hex(&step["calldata"]))).with_value(value);
            let Ok(outcome) = machine.call(address, &message) else { continue };
            let found = &evm["gasEstimates"]["external"][step["signature"].as_str().unwrap_or_default()];
            let Some(most) = found.as_str().and_then(|text| text.parse().ok()) else { continue };
            let spent: u64 = outcome.gas.execution;
            calls += 1;
            bounded += usize::from(outcome.status != Status::Halt);
            assert!(
                spent <= most || outcome.status == Status::Halt,
                "{} {step}: {spent} of {most}",
                case["name"]
            );
        }
    }
    assert!(calls == 0 || bounded > 50, "{bounded} of {calls} calls have a bound");
}
