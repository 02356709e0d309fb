//! Source maps as stack traces read them: which jumps enter and leave functions of the source, and
//! where they are.

#![cfg(unix)]

mod fake;

use fake::Fake;
use serde_json::{Value, json};

/// Yul as solc writes it: `f` is called from outside through a modifier, calls `g`, whose results it
/// returns, and a helper. Places: 0..90 the contract, 10..40 `f`, 41..60 `g`, 61..80 the modifier.
const YUL: &str = r#"
/// @use-src 0:"a.sol"
object "A_9" { code {
/// @src 0:0:90
codecopy(0, dataoffset("A_9_deployed"), datasize("A_9_deployed")) return(0, datasize("A_9_deployed")) }
/// @use-src 0:"a.sol"
object "A_9_deployed" { code {
/// @src 0:0:90
if eq(calldataload(0), 1) { external_fun_f_1() }
revert(0, 0)
function external_fun_f_1() {
  let r := fun_f_1(helper(calldataload(4)))
  mstore(0, r)
  return(0, 32)
}
function helper(a) -> r { if a { revert(0, 0) } r := calldataload(a) }
/// @src 0:10:40
function fun_f_1(a) -> r {
  /// @src 0:20:30
  r := modifier_m_3(a)
  leave
}
/// @src 0:61:80
function modifier_m_3(a) -> r { r := fun_f_1_inner(helper(a)) }
/// @src 0:10:40
function fun_f_1_inner(a) -> r {
  /// @src 0:32:38
  r := fun_g_2(a)
  leave
}
/// @src 0:41:60
function fun_g_2(a) -> r {
  /// @src 0:50:55
  if gt(a, 3) { r := fun_f_1(sub(a, 1)) leave }
  r := helper(a)
}
} } }"#;

/// A jump that enters or leaves a function: the part of the source, and its letter.
type Mark = ((i64, i64), String);

/// What is answered of the deployed code at a level.
fn deployed(level: &str) -> Value {
    deployed_of(YUL, level)
}

/// The same of this Yul.
fn deployed_of(yul: &str, level: &str) -> Value {
    let contract = json!({ "abi": [], "ir": yul, "metadata": "{}" });
    let given = json!({ "contracts": { "a.sol": { "A": contract } }, "sources": { "a.sol": { "id": 0 } } });
    let settings = json!({
        "cairn": { "level": level },
        "outputSelection": { "*": { "*": ["evm.deployedBytecode"] } },
    });
    let sources = json!({ "a.sol": { "content": "contract A { }" } });
    let request = json!({ "language": "Solidity", "settings": settings, "sources": sources });
    let answer = Fake::new(&given).answer(&request);
    answer["contracts"]["a.sol"]["A"]["evm"]["deployedBytecode"].clone()
}

/// Marks of the deployed code at a level, and the places of its reverts.
fn map(level: &str) -> (Vec<Mark>, Vec<(i64, i64)>) {
    let code = deployed(level);
    let text = |name: &str| code[name].as_str().unwrap_or_else(|| panic!("{code}"));
    let entries = decompressed(text("sourceMap"));
    let opcodes: Vec<&str> =
        text("opcodes").split_whitespace().filter(|word| !word.starts_with("0x")).collect();
    let marks = entries.iter().filter(|(_, jump)| jump != "-").cloned().collect();
    let reverts = entries.iter().zip(&opcodes).filter(|(_, opcode)| **opcode == "REVERT");
    (marks, reverts.map(|((place, _), _)| *place).collect())
}

fn decompressed(map: &str) -> Vec<Mark> {
    let mut fields = vec![String::new(); 5];
    let entries = map.split(';').map(|entry| {
        for (field, text) in fields.iter_mut().zip(entry.split(':')).filter(|(_, text)| !text.is_empty()) {
            *field = text.to_owned();
        }
        let number = |index: usize| fields[index].parse().expect("a number");
        ((number(0), number(1)), fields[3].clone())
    });
    entries.collect()
}

#[test]
fn functions_of_the_source_are_frames_and_helpers_are_not() {
    let (marks, reverts) = map("0");
    let count = |letter: &str| marks.iter().filter(|(_, jump)| jump == letter).count();
    assert_eq!(count("i"), 3, "into `f` from outside and from `g`, into `g`: {marks:?}");
    assert_eq!(count("o"), 3, "`f` returns at one place, `g` at two: {marks:?}");
    assert_eq!(marks[0], ((10, 30), "i".to_owned()), "from outside, the jump is at the function itself");
    assert!(marks.contains(&((32, 6), "i".to_owned())) && marks.contains(&((50, 5), "i".to_owned())));
    assert!(marks.iter().all(|(place, _)| *place != (0, 90)), "{marks:?}");
    assert!(reverts.iter().all(|place| *place == (-1, -1)), "no revert is the whole contract's: {reverts:?}");
}

/// What is called by a pointer is a frame. Tools take a jump at the function itself for a call from outside, which
/// is none of its own.
#[test]
fn a_call_by_a_pointer_is_not_from_outside() {
    let by_pointer = YUL.replacen("r := fun_g_2(a)", "r := dispatch_internal_in_1_out_1(a, a)", 1);
    let yul = by_pointer.replace(
        "function helper(",
        "function dispatch_internal_in_1_out_1(fun, a) -> r { switch fun case 1 { r := fun_g_2(a) }
default { revert(0, 0) } }
function helper(",
    );
    for level in ["0", "1", "2", "s"] {
        let code = deployed_of(&yul, level);
        let places = decompressed(code["sourceMap"].as_str().expect("a map"));
        let entered: Vec<_> =
            places.iter().filter(|(_, jump)| jump == "i").map(|(place, _)| *place).collect();
        assert!(!entered.contains(&(41, 19)), "-O{level}: {entered:?}");
        if level == "0" {
            assert!(entered.contains(&(41, 18)), "{entered:?}");
            assert!(entered.contains(&(10, 30)), "`f` is called from outside: {entered:?}");
        }
    }
}

/// Tools take the name and the parameters of a frame from the text where it begins.
#[test]
fn a_function_begins_at_itself_whatever_is_in_it() {
    let (before, after) = YUL.split_once("/// @src 0:41:60").expect("it is there");
    let yul = format!(
        "{before}/// @src 0:41:60\nfunction fun_g_2(a) -> r {{\n/// @src 0:50:55\nr := add(a, 7)\nleave }}\n}} }} }}"
    );
    assert!(after.contains("function fun_g_2"));
    for level in ["0", "1", "2"] {
        let code = deployed_of(&yul, level);
        let entries = decompressed(code["sourceMap"].as_str().expect("a map"));
        let text = code["opcodes"].as_str().expect("opcodes");
        let opcodes: Vec<&str> = text.split_whitespace().filter(|word| !word.starts_with("0x")).collect();
        let labels = entries.iter().zip(&opcodes).filter(|(_, opcode)| **opcode == "JUMPDEST");
        let places: Vec<_> = labels.map(|((place, _), _)| *place).collect();
        let is_inlined = level != "0";
        assert!(is_inlined || places.contains(&(41, 19)), "-O{level}: {places:?}");
        assert!(!places.contains(&(50, 5)), "-O{level}: {places:?}");
    }
}

#[test]
fn as_many_frames_are_left_as_were_entered() {
    for level in ["1", "2", "s"] {
        let (marks, reverts) = map(level);
        assert!(marks.iter().all(|(_, jump)| jump == "i" || jump == "o"), "-O{level}: {marks:?}");
        assert!(!reverts.contains(&(0, 90)), "-O{level}: {reverts:?}");
    }
}

#[test]
fn functions_of_the_source_have_their_entries() {
    for level in ["0", "1", "2", "s"] {
        let code = deployed(level);
        let functions = code["functionDebugData"].as_object().expect("functions");
        assert_eq!(functions.keys().collect::<Vec<_>>(), ["@f_1", "@g_2"], "-O{level}");
        let bytes = code["object"].as_str().expect("code");
        let entries: Vec<&Value> = functions.values().map(|function| &function["entryPoint"]).collect();
        if level == "0" {
            let offsets = entries.iter().map(|entry| entry.as_u64().expect("an entry") as usize);
            assert!(offsets.clone().all(|entry| bytes[entry * 2..].starts_with("5b")), "{functions:?}");
            assert!(entries[0] != entries[1], "{functions:?}");
        } else {
            assert_eq!(entries, [&Value::Null; 2], "-O{level}");
        }
        assert_eq!(functions["@f_1"]["id"], 1);
        let words = ["parameterSlots", "returnSlots"].map(|slots| &functions["@g_2"][slots]);
        assert_eq!(words, [1; 2], "-O{level}");
    }
}
