//! Debug metadata survives every pass: each step of the legalizer, each pass of the optimizer alone,
//! both stackifiers and the passes on stack code, on the EVM-IR programs of the file tests.
//!
//! Every instruction gets a location of its own, every value a trace, every function a label. After
//! a pass the tables are the same; what has effects has the location of an instruction of the same
//! kind; what is left of the input has its trace; the entry function has its label.

use cairn_analysis::Needed;
use cairn_driver::stages::{Free, legalize, optimize};
use cairn_driver::{Emit, Failure, Input, Language, Level, Options, Session, build_module, free};
use cairn_evm::Effects;
use cairn_ir::debug::{DebugInfo, LocData, ScopeData, ScopeKind, VarData, traces};
use cairn_ir::{Function, Inst, Module, Op, Payload, Type, ValueDef};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Kinds of instructions by the start of their location.
type Kinds = BTreeMap<i32, &'static str>;

/// Programs of the file tests, without those that have faults.
fn programs() -> Vec<(String, Module)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests");
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> = ["legalize", "opt", "stackify"].map(|name| root.join(name)).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder is there") {
            let path = entry.expect("readable").path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "eir"));
    files.sort();
    let mut programs = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("text");
        let name = path.strip_prefix(&root).expect("below the root").display().to_string();
        let input = Input { name: name.clone(), text, language: Language::EvmIr };
        if let Ok(program) = free(&input, &options(), &mut Session::default()) {
            programs.push((name, program.module));
        }
    }
    assert!(programs.len() > 150, "only {} programs", programs.len());
    programs
}

fn options() -> Options {
    Options { recover: true, verify: true, ..Options::default() }
}

/// A name that stays the same when an operation is legalized.
fn kind(op: Op) -> &'static str {
    match op {
        Op::ReturnValue => "return",
        Op::DataCopy => "codecopy",
        op => op.name(),
    }
}

/// The kind of the location that is around all others.
const SHARED: &str = "shared";

/// Gives every instruction a location, every value a trace, every function a label.
fn decorate(module: &mut Module, kinds: &mut Kinds) {
    module.debug.sources.push((0, "a.sol".into()));
    let function = ScopeKind::Function("f".into());
    let scope = module.debug.scopes.push(ScopeData { kind: function, source: 0, start: 0, end: 9 });
    // What several places share has a location that is around them.
    kinds.insert(0, SHARED);
    module.debug.intern(LocData { source: 0, start: 0, end: i32::MAX, scope: Some(scope) });
    let var = |debug: &mut DebugInfo, name: &str| {
        let data = VarData { name: name.into(), ty: "uint256".into(), scope: Some(scope) };
        Payload::Number(u64::from(debug.vars.push(data).as_u32()))
    };
    let label = Payload::Symbol(module.symbols.intern("start"));
    for func in module.funcs.values_mut() {
        let blocks: Vec<_> = func.layout.blocks().collect();
        for block in &blocks {
            for inst in func.layout.insts(*block).collect::<Vec<_>>() {
                let start = kinds.len() as i32;
                kinds.insert(start, kind(func.dfg.op(inst)));
                let place = LocData { source: 0, start, end: start + 1, scope: Some(scope) };
                func.dfg.inst_mut(inst).loc = Some(module.debug.intern(place)).into();
                for value in func.dfg.results(inst).to_vec() {
                    let trace = func.dfg.make_inst(
                        Op::DbgTrace,
                        &[value],
                        var(&mut module.debug, kind(func.dfg.op(inst))),
                    );
                    func.layout.insert_inst_after(trace, inst);
                }
            }
            for value in func.dfg.params(*block).to_vec() {
                let trace = func.dfg.make_inst(Op::DbgTrace, &[value], var(&mut module.debug, "parameter"));
                func.layout.prepend_inst(trace, *block);
            }
        }
        let label = func.dfg.make_inst(Op::DbgLabel, &[], label);
        func.layout.prepend_inst(label, blocks[0]);
    }
    module.modules.iter_mut().for_each(|nested| decorate(nested, kinds));
}

fn decorated(module: &Module) -> (Module, Kinds) {
    let (mut module, mut kinds) = (module.clone(), Kinds::new());
    decorate(&mut module, &mut kinds);
    (module, kinds)
}

/// True for accesses to slots, which the legalizer makes for values without a place in the source.
fn is_slot_access(func: &Function, inst: Inst) -> bool {
    let is_access = matches!(kind(func.dfg.op(inst)), "mload" | "mstore");
    let address = func.dfg.args(inst).first().and_then(|address| func.dfg.def_inst(*address));
    is_access && address.is_some_and(|def| func.dfg.op(def) == Op::Alloca)
}

/// Checks a module that a pass made of a decorated one with these tables.
fn check(module: &Module, before: &Module, kinds: &Kinds, split: &BTreeSet<String>, said: &str) {
    assert_eq!(module.debug.sources, before.debug.sources, "{said}");
    assert!(module.debug.scopes.values().eq(before.debug.scopes.values()), "{said}: scopes");
    assert!(module.debug.vars.values().eq(before.debug.vars.values()), "{said}: variables");
    for (id, func) in module.funcs.iter().filter(|(_, func)| !func.name.starts_with("__cairn")) {
        check_function(module, func, kinds, split, said);
        let is_entry = module.entry == Some(id);
        let mut insts = func.layout.insts(func.layout.entry());
        let has_label = insts.any(|inst| func.dfg.op(inst) == Op::DbgLabel);
        assert!(!is_entry || has_label, "{said}: the label of @{} is lost", func.name);
    }
    for (nested, before) in module.modules.iter().zip(&before.modules) {
        check(nested, before, kinds, split, said);
    }
}

/// What expansions of other operations hold.
const INSERTED: [&str; 5] = ["mload", "mstore", "icall", "returndatasize", "callvalue"];

/// What an operation turns into by its operands: what it was, what it is.
const REWRITTEN: [(&str, &str); 1] = [("return", "stop")];

fn check_function(module: &Module, func: &Function, kinds: &Kinds, split: &BTreeSet<String>, said: &str) {
    let traced: BTreeSet<_> = traces(func).iter().flat_map(|trace| func.dfg.args(*trace)).copied().collect();
    for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
        let op = func.dfg.op(inst);
        let is_quiet = op.effects().is_empty() || matches!(op, Op::DbgTrace | Op::DbgLabel);
        if is_quiet || is_slot_access(func, inst) {
            continue;
        }
        let name = kind(op);
        let loc = func.dfg.inst(inst).loc.expand();
        let loc = loc.unwrap_or_else(|| panic!("{said}: `evm.{name}` in @{} has no location", func.name));
        let from = kinds[&module.debug.loc(loc).start];
        // What an operation was rewritten into has its place, and a hoisted check that of the branch
        // it stands before.
        let may_differ = INSERTED.contains(&name)
            || REWRITTEN.contains(&(from, name))
            || !kinds.values().any(|kind| *kind == name)
            || from == "condbr"
            || from == SHARED;
        assert!(from == name || may_differ, "{said}: `evm.{name}` has the location of `evm.{from}`");
        // A call that does not come back has no result, and a value that lost a part has no trace.
        let next = func.layout.next_inst(inst).map(|inst| func.dfg.op(inst));
        let is_whole = next != Some(Op::Unreachable) && !split.contains(&func.name);
        let results = func.dfg.results(inst).iter().filter(|_| is_whole);
        for result in results {
            let is_of_input = from == name && func.dfg.def(*result) == ValueDef::Result(inst, 0);
            let is_traced = traced.contains(result) || is_joined(func, *result, &traced);
            assert!(!is_of_input || is_traced, "{said}: the trace of `evm.{name}` is lost");
        }
    }
}

/// True for a word that was loaded on one way to a join: it is kept in a slot, and what is found there is traced.
fn is_joined(func: &Function, word: cairn_ir::Value, traced: &BTreeSet<cairn_ir::Value>) -> bool {
    let insts = || func.layout.blocks().flat_map(|block| func.layout.insts(block));
    let kept = insts().find_map(|inst| match func.dfg.args(inst) {
        [slot, kept] if *kept == word && is_slot_access(func, inst) => Some(*slot),
        _ => None,
    });
    insts().any(|inst| {
        let is_found = is_slot_access(func, inst) && func.dfg.args(inst).len() == 1;
        is_found && Some(func.dfg.args(inst)[0]) == kept && traced.contains(&func.dfg.result(inst))
    })
}

/// Functions of which some variable has several parts.
fn split_functions(module: &Module) -> BTreeSet<String> {
    let is_split = |func: &&Function| traces(func).iter().any(|trace| func.dfg.args(*trace).len() > 1);
    let mut names: BTreeSet<String> =
        module.funcs.values().filter(is_split).map(|func| func.name.clone()).collect();
    names.extend(module.modules.iter().flat_map(split_functions));
    names
}

/// Variables that are traced whose values something needs, but for those of several words, of which a part may be
/// dead, and for constants, which expansions are made for.
fn needed(module: &Module, all: &mut BTreeSet<(String, u64)>) {
    for func in module.funcs.values() {
        let observable = Effects::WRITES | Effects::GROW_MEMORY;
        let needed = Needed::compute(func, |inst| func.dfg.op(inst).effects().intersects(observable));
        for trace in traces(func) {
            let value = func.dfg.args(trace)[0];
            let is_whole = !matches!(func.dfg.ty(value), Type::Composite(_) | Type::Int(257..));
            let is_constant = func.dfg.as_const(value).is_some();
            if let Payload::Number(var) = func.dfg.inst(trace).payload
                && is_whole
                && !is_constant
                && needed.has_value(value)
            {
                all.insert((module.name.clone(), var));
            }
        }
    }
    module.modules.iter().for_each(|nested| needed(nested, all));
}

/// Variables that are traced.
fn traced(module: &Module, all: &mut BTreeSet<(String, u64)>) {
    for func in module.funcs.values() {
        let payloads = traces(func).into_iter().map(|trace| func.dfg.inst(trace).payload);
        all.extend(payloads.filter_map(|payload| match payload {
            Payload::Number(var) => Some((module.name.clone(), var)),
            _ => None,
        }));
    }
    module.modules.iter().for_each(|nested| traced(nested, all));
}

/// Options by which one pass of the optimizer runs.
fn one_pass(pass: &str) -> Options {
    Options { passes: Some(vec![pass.to_owned()]), ..options() }
}

#[test]
fn the_legalizer_and_each_pass_keep_debug_metadata() {
    let passes: BTreeSet<&str> = cairn_opt::pipeline::PASSES.iter().map(|pass| pass.name).collect();
    let mut runs = BTreeMap::new();
    for (name, module) in programs() {
        let (before, kinds) = decorated(&module);
        let Ok(legalized) = legalize(Free::new(before.clone()), &options(), &mut Session::default()) else {
            continue;
        };
        let canonical = &legalized.module;
        // Other values may have taken the places of traced ones; variables are compared below.
        let rewritten = before.funcs.values().map(|func| func.name.clone()).collect();
        check(canonical, &before, &kinds, &rewritten, &format!("{name} legalized"));
        let (mut all, mut left) = (BTreeSet::new(), BTreeSet::new());
        needed(&before, &mut all);
        traced(canonical, &mut left);
        let lost: Vec<_> = all.difference(&left).collect();
        // There, code that is never executed goes, and branches that decide nothing.
        let has_dead_code = name.contains("remove-unreachable") || name.contains("remove-dead");
        assert!(lost.is_empty() || has_dead_code, "{name} legalized: lost {lost:?} of {}", all.len());
        let split = split_functions(canonical);
        for pass in &passes {
            let module = match optimize(legalized.clone(), &one_pass(pass), &mut Session::default()) {
                Ok(optimized) => optimized.module,
                Err(Failure::Bug(message)) => panic!("{name}, {pass}: {message}"),
                Err(_) => continue,
            };
            *runs.entry(*pass).or_insert(0) += 1;
            check(&module, &before, &kinds, &split, &format!("{name} after {pass}"));
        }
    }
    assert!(passes.iter().all(|pass| runs.get(pass).is_some_and(|count| *count > 150)), "{runs:?}");
}

/// Instructions that stay what they are on the way to bytes.
const LASTING: [&str; 11] = [
    "SSTORE",
    "TSTORE",
    "CALL",
    "STATICCALL",
    "DELEGATECALL",
    "CREATE",
    "CREATE2",
    "LOG1",
    "REVERT",
    "RETURN",
    "SELFDESTRUCT",
];

/// Checks that lasting instructions of the bytecode have the place of one of their kind.
fn check_bytecode(debug: &Value, kinds: &Kinds, level: Level, said: &str) -> usize {
    let mut count = 0;
    let programs = debug["programs"].as_array().into_iter().flatten();
    for instruction in programs.flat_map(|program| program["instructions"].as_array().expect("a list")) {
        let mnemonic = instruction["operation"]["mnemonic"].as_str().expect("a mnemonic");
        let name = mnemonic.to_lowercase();
        if !LASTING.contains(&mnemonic) || !kinds.values().any(|kind| *kind == name) {
            continue;
        }
        let Some(start) = instruction["context"]["code"]["range"]["offset"].as_i64() else {
            // An end that the whole contract shares is in no function: its place would be all of the contract.
            let is_end = matches!(mnemonic, "REVERT" | "RETURN");
            assert!(is_end && level != Level::O0, "{said}: {mnemonic} has no location");
            continue;
        };
        // A hoisted check has the place of the branch it stands before.
        let from = kinds[&(start as i32)];
        let may_differ = from == "condbr" && name == "revert" || from == SHARED;
        assert!(from == name || may_differ, "{said}: {name} is at {from}");
        count += 1;
    }
    count
}

#[test]
fn both_stackifiers_and_the_assembler_keep_locations() {
    let mut checked = 0;
    for (name, module) in programs() {
        let (module, kinds) = decorated(&module);
        for (level, spec) in [(Level::O0, false), (Level::O0, true), (Level::O2, false), (Level::Os, false)] {
            let options = Options { level, spec, ..options() };
            let mut session = Session::default();
            let Ok(artifacts) = build_module(module.clone(), &[Emit::Ethdebug], &options, &mut session)
            else {
                continue;
            };
            let debug = serde_json::from_str(artifacts.get(Emit::Ethdebug).expect("made")).expect("JSON");
            checked += check_bytecode(&debug, &kinds, level, &format!("{name} at {level}, literal {spec}"));
        }
    }
    assert!(checked > 250, "only {checked} instructions");
}
