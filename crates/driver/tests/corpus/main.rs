//! Compiles recorded contracts at every level and compares their behaviour with the record.
//!
//! The corpus is found by `CAIRN_CORPUS` or at `../shared/corpus` beside the workspace; without it
//! the suite says so and passes. Debug builds take every tenth case, release builds all of them.

#![allow(clippy::print_stdout, reason = "tests say what they skip")]

mod case;

use cairn_driver::{Emit, Failure, Input, Language, Level, Options, Session, build};
use case::Case;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Stack of a compiling thread.
const STACK_BYTES: usize = 256 << 20;
const THREADS: usize = 2;

fn corpus() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus");
    let folder = std::env::var_os("CAIRN_CORPUS").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// Whether a case must compile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Demand {
    /// It must.
    Compiles,
    /// It may be refused where a module has no room for a frame.
    MayLackFrame,
}

/// The creation code in hex; `None` where the input lacks a frame and that is allowed.
fn compile(yul: &str, options: Options, demand: Demand) -> Result<Option<Vec<u8>>, String> {
    let input = Input { name: "case.yul".into(), text: yul.to_owned(), language: Language::Yul };
    let mut session = Session::default();
    match build(&input, &[Emit::Bin], &options, &mut session) {
        Ok(artifacts) => {
            let code = artifacts.get(Emit::Bin).ok_or("no bytecode")?;
            cairn_evm::hex::decode(without_placeholders(code)).map(Some).map_err(|error| error.to_string())
        }
        Err(Failure::Bug(message)) => Err(format!("internal fault: {message}")),
        Err(Failure::Input) => {
            let first = session.diagnostics.iter().next().map_or("no diagnostic", |one| &one.message);
            let lacks_frame = first.contains("all memory is the program's");
            if demand == Demand::MayLackFrame && lacks_frame { Ok(None) } else { Err(first.to_owned()) }
        }
    }
}

/// Hex with the placeholders of unlinked libraries, `__$…$__`, replaced by zeros.
fn without_placeholders(code: &str) -> String {
    let mut code = code.to_owned();
    while let Some(at) = code.find("__$") {
        code.replace_range(at..at + 40, &"0".repeat(40));
    }
    code
}

/// Cases whose recorded result depends on the size or gas of the code itself: code that is small or
/// cheap enough gives another result, rightly.
const CODE_DEPENDENT: [&str; 3] = [
    // Expects to run out of 100M gas.
    "array/array_storage_push_empty",
    // Asserts that the contract is larger than 380 bytes.
    "various/address_code",
    // Asserts that the contract is larger than 50 bytes.
    "various/code_length_contract_member",
];

/// Runs all cases of a file; panics with the list of failures.
fn check(file: &str, source: fn(&Case) -> &str, options: &Options, demand: Demand) {
    let Some(folder) = corpus() else {
        println!("skipped: no corpus (set CAIRN_CORPUS)");
        return;
    };
    let step = if cfg!(debug_assertions) { 10 } else { 1 };
    let cases: Vec<Case> = case::read(&folder.join(file)).into_iter().step_by(step).collect();
    let (next, failures, refused) = (AtomicUsize::new(0), Mutex::new(Vec::new()), AtomicUsize::new(0));
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            match compile(source(case), options.clone(), demand) {
                Ok(None) => {
                    refused.fetch_add(1, Ordering::Relaxed);
                }
                Ok(Some(code)) => {
                    if let Err(what) = case.judge(&code)
                        && !CODE_DEPENDENT.contains(&case.name.as_str())
                    {
                        failures.lock().expect("no panic").push(format!("{}: {what}", case.name));
                    }
                }
                Err(what) => failures.lock().expect("no panic").push(format!("{}: {what}", case.name)),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            thread.spawn_scoped(scope, work).expect("a thread starts");
        }
    });
    let mut failures = failures.into_inner().expect("no panic");
    failures.sort();
    println!("{file}: {} cases, {} refused for want of a frame", cases.len(), refused.into_inner());
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

fn at(level: Level) -> Options {
    Options { level, verify: true, ..Options::default() }
}

const SEMANTIC: [&str; 2] = ["semantic/semantic-dev.jsonl.gz", "semantic/semantic-extra-dev.jsonl.gz"];

fn check_semantic(source: fn(&Case) -> &str, options: &Options, demand: Demand) {
    SEMANTIC.iter().for_each(|file| check(file, source, options, demand));
}

#[test]
fn semantic_yul_at_o0() {
    check_semantic(Case::yul, &at(Level::O0), Demand::Compiles);
}

#[test]
fn semantic_yul_at_the_default_level() {
    check_semantic(Case::yul, &at(Level::O2), Demand::Compiles);
}

#[test]
fn semantic_yul_for_size() {
    check_semantic(Case::yul, &at(Level::Os), Demand::Compiles);
}

#[test]
fn semantic_yul_by_the_specification() {
    check_semantic(Case::yul, &Options { spec: true, ..at(Level::O2) }, Demand::MayLackFrame);
}

#[test]
fn semantic_optimized_yul_at_o0() {
    check_semantic(Case::yul_optimized, &at(Level::O0), Demand::Compiles);
}

#[test]
fn semantic_optimized_yul_at_the_default_level() {
    check_semantic(Case::yul_optimized, &at(Level::O2), Demand::Compiles);
}

#[test]
fn semantic_optimized_yul_by_the_specification() {
    check_semantic(Case::yul_optimized, &Options { spec: true, ..at(Level::O2) }, Demand::MayLackFrame);
}

#[test]
fn real_scenarios_at_each_level() {
    for level in Level::ALL {
        check("real/scenarios-dev.jsonl.gz", Case::yul, &at(level), Demand::Compiles);
        check("real/scenarios-dev.jsonl.gz", Case::yul_optimized, &at(level), Demand::Compiles);
    }
}

#[test]
fn real_contracts_compile() {
    let Some(folder) = corpus() else { return };
    let contracts = case::read_sources(&folder.join("real/real-dev.jsonl.gz"));
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        for (name, yul) in contracts {
            let code = compile(&yul, at(Level::O2), Demand::Compiles);
            assert!(code.unwrap_or_else(|message| panic!("{name}: {message}")).is_some(), "{name}: no code");
        }
    });
    thread.expect("a thread starts").join().expect("every contract compiles");
}
