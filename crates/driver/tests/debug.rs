//! Debug metadata goes all the way to the output and has no influence on the code.

#![allow(clippy::print_stderr, reason = "tests say what they skip")]

use cairn_driver::{Emit, Input, Language, Level, Options, Session, build, build_module, free};
use cairn_ir::{Cursor, Module, Op, Payload, VarData};
use serde_json::Value;
use std::path::PathBuf;

const PROGRAM: &str = r#"module @Located {
  !cu 0 = "a.sol"
  !fn !0 = "transfer" 0:0:90
  !scope !1 = !0 0:20:80
  !var !0 = "amount" "uint256" !1
  !var !1 = "total" "uint256" !1
  !loc !0 = 0:10:25 !1
  !loc !1 = 0:30:38 !1
  !loc !2 = 0:40:60 !0
  func @__entry() {
  ^entry:
    %zero = evm.constant 0 : u256
    %amount = evm.calldataload %zero : u256 loc(!0)
    evm.dbg.trace %amount, !0
    %old = evm.sload %zero : u256 loc(!1)
    %total = evm.add %old, %amount : u256 loc(!1)
    evm.dbg.trace %total, !1
    %twice = evm.add %total, %zero : u256 loc(!1)
    %big = evm.gt %amount, %twice : bool loc(!2)
    evm.condbr %big, ^refuse, ^store loc(!2)
  ^refuse:
    evm.revert %zero, %zero loc(!2)
  ^store:
    evm.sstore %zero, %twice loc(!2)
    evm.sstore %amount, %twice loc(!2)
    evm.stop
  }
}
"#;

fn options(level: Level, spec: bool) -> Options {
    Options { level, spec, ..Options::default() }
}

fn ethdebug(level: Level, spec: bool) -> Value {
    let input = Input { name: "a.eir".into(), text: PROGRAM.to_owned(), language: Language::EvmIr };
    let mut session = Session::default();
    let artifacts = build(&input, &[Emit::Ethdebug], &options(level, spec), &mut session);
    let artifacts = artifacts.unwrap_or_else(|failure| panic!("{failure:?} {:?}", session.diagnostics));
    serde_json::from_str(artifacts.get(Emit::Ethdebug).expect("made")).expect("JSON")
}

/// Mnemonic, offset in the source, names and pointers of variables.
type Context = (String, Option<u64>, Vec<(String, Value)>);

/// Offset of the source range and pointers of the visible variables of each instruction.
fn contexts(level: Level, spec: bool) -> Vec<Context> {
    let debug = ethdebug(level, spec);
    let read = |instruction: &Value| {
        let context = &instruction["context"];
        let variables = context["variables"].as_array().into_iter().flatten();
        let variables = variables
            .map(|v| (v["identifier"].as_str().expect("a name").to_owned(), v["pointer"].clone()))
            .collect();
        let mnemonic = instruction["operation"]["mnemonic"].as_str().expect("a mnemonic").to_owned();
        (mnemonic, context["code"]["range"]["offset"].as_u64(), variables)
    };
    debug["programs"][0]["instructions"].as_array().expect("a list").iter().map(read).collect()
}

#[test]
fn locations_and_variables_survive_every_level() {
    for level in Level::ALL {
        let contexts = contexts(level, false);
        for (mnemonic, offset) in
            [("CALLDATALOAD", 10), ("SLOAD", 30), ("ADD", 30), ("SSTORE", 40), ("REVERT", 40)]
        {
            let found = contexts.iter().find(|(name, ..)| name == mnemonic);
            let (_, place, _) = found.unwrap_or_else(|| panic!("no {mnemonic} at {level}"));
            assert_eq!(*place, Some(offset), "{mnemonic} at {level}");
        }
        for name in ["amount", "total"] {
            let is_seen =
                contexts.iter().any(|(.., variables)| variables.iter().any(|(seen, _)| seen == name));
            assert!(is_seen, "`{name}` at {level}: {contexts:#?}");
        }
    }
}

#[test]
fn variables_lie_where_the_stack_says() {
    let contexts = contexts(Level::O0, false);
    let (_, _, before_load) = contexts.iter().find(|(name, ..)| name == "SLOAD").expect("a load");
    // The key lies on top, the amount below it.
    let slot = |variables: &[(String, Value)], name: &str| {
        let found = variables.iter().find(|(seen, _)| seen == name);
        found.map(|(_, pointer)| (pointer["location"].clone(), pointer["slot"].clone()))
    };
    assert_eq!(slot(before_load, "amount"), Some(("stack".into(), 1.into())));
    assert_eq!(slot(before_load, "total"), None, "not assigned yet");
}

#[test]
fn spilled_variables_lie_in_memory() {
    let contexts = contexts(Level::O0, true);
    let (_, _, visible) = contexts.iter().rev().find(|(name, ..)| name == "SSTORE").expect("a store");
    let (_, pointer) = visible.iter().find(|(name, _)| name == "amount").expect("visible in another block");
    assert_eq!(pointer["location"], "memory");
    assert_eq!(pointer["length"], 32);
}

#[test]
fn wide_variables_lie_in_several_words() {
    let text = r#"module @Wide {
      !fn !0 = "f" 0:0:90
      !var !0 = "sum" "uint512" !0
      func @__entry() {
      ^entry:
        %zero = evm.constant 0 : u256
        %a = evm.calldataload %zero : u512
        %sum = evm.add %a, %a : u512
        evm.dbg.trace %sum, !0
        evm.sstore %zero, %sum
        evm.stop
      }
    }"#;
    let input = Input { name: "a.eir".into(), text: text.to_owned(), language: Language::EvmIr };
    let artifacts = build(&input, &[Emit::Ethdebug], &options(Level::O0, false), &mut Session::default())
        .expect("a good program");
    let debug: Value = serde_json::from_str(artifacts.get(Emit::Ethdebug).expect("made")).expect("JSON");
    let instructions = debug["programs"][0]["instructions"].as_array().expect("a list");
    let group =
        instructions.iter().find_map(|one| one["context"]["variables"][0]["pointer"]["group"].as_array());
    let group = group.expect("visible somewhere");
    assert_eq!(group.len(), 2);
    assert!(group.iter().all(|pointer| pointer["location"] == "stack"), "{group:?}");
    assert_ne!(group[0]["slot"], group[1]["slot"]);
}

#[test]
fn the_tables_outlive_the_optimizer() {
    let input = Input { name: "a.eir".into(), text: PROGRAM.to_owned(), language: Language::EvmIr };
    let artifacts = build(&input, &[Emit::Canonical], &options(Level::O2, false), &mut Session::default())
        .expect("a good program");
    let text = artifacts.get(Emit::Canonical).expect("made");
    for line in
        ["!fn !0 = \"transfer\" 0:0:90", "!var !1 = \"total\" \"uint256\" !1", "evm.dbg.trace %amount, !0"]
    {
        assert!(text.contains(line), "no `{line}` in\n{text}");
    }
}

/// Traces every value of a module.
fn trace_everything(module: &mut Module) {
    let var = module.debug.vars.push(VarData { name: "x".into(), ty: "uint256".into(), scope: None });
    let payload = Payload::Number(u64::from(var.as_u32()));
    for func in module.funcs.values_mut() {
        let blocks: Vec<_> = func.layout.blocks().collect();
        for block in blocks {
            let insts: Vec<_> = func.layout.insts(block).collect();
            for param in func.dfg.params(block).to_vec() {
                Cursor::at_start(func, block).insert(Op::DbgTrace, &[param], payload, &[]);
            }
            for inst in insts {
                for value in func.dfg.results(inst).to_vec() {
                    Cursor::after(func, inst).insert(Op::DbgTrace, &[value], payload, &[]);
                }
            }
        }
    }
    module.modules.iter_mut().for_each(trace_everything);
}

fn programs() -> Vec<(String, String)> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let example = |name: &str| {
        let text = std::fs::read_to_string(root.join("examples").join(name)).expect("the example is there");
        (name.to_owned(), text)
    };
    let mut programs: Vec<(String, String)> = ["erc20.yul", "loop.yul"].map(example).into();
    let folder = std::env::var_os("CAIRN_CORPUS").map_or(root.join("../shared/corpus"), PathBuf::from);
    let path = folder.join("semantic/semantic-dev.jsonl.gz");
    let Ok(file) = std::fs::File::open(path) else {
        eprintln!("skipped the corpus: there is none (set CAIRN_CORPUS)");
        return programs;
    };
    use std::io::BufRead;
    let lines = std::io::BufReader::new(flate2::read::MultiGzDecoder::new(file)).lines();
    for line in lines.step_by(if cfg!(debug_assertions) { 40 } else { 4 }) {
        let row: Value = serde_json::from_str(&line.expect("readable")).expect("a JSON row");
        let text = |key: &str| row[key].as_str().expect("a string").to_owned();
        programs.push((text("name"), text("yul")));
    }
    programs
}

#[test]
fn traces_do_not_change_the_code() {
    for (name, text) in programs() {
        let input = Input { name: name.clone(), text, language: Language::Yul };
        for level in [Level::O0, Level::O2, Level::Os] {
            let build = |traced: bool| {
                // The forms between passes are not what is compared here.
                let options = Options { level, verify: false, ..Options::default() };
                let mut session = Session::default();
                let mut module = free(&input, &options, &mut session).expect("a good program").module;
                if traced {
                    trace_everything(&mut module);
                }
                let artifacts = build_module(module, &[Emit::Bin], &options, &mut session);
                let artifacts =
                    artifacts.unwrap_or_else(|failure| panic!("{name}, traced {traced}: {failure:?}"));
                artifacts.get(Emit::Bin).expect("made").to_owned()
            };
            assert!(build(false) == build(true), "{name} at {level}");
        }
    }
}
