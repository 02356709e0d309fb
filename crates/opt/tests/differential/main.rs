//! Random modules mean the same after each pass, alone and in the pipeline, as before it: the
//! interpreter is the judge. `CAIRN_OPT_MODULES` sets how many there are.

mod generate;

use cairn_diag::FileId;
use cairn_evm::{Effects, Opcode, Word};
use cairn_ir::Module;
use cairn_ir::interp::{Env, ExternalResult, Outcome, Run, interpret};
use cairn_ir::text::{parse, print};
use cairn_ir::verify::{Form, verify};
use cairn_legalize::legalize;
use cairn_opt::pass::{Pass, Property};
use cairn_opt::pipeline::{Level, PASSES, pass, passes};
use cairn_opt::{Hooks, Options, run_passes};

/// Modules in a run that nobody asked to be longer.
const MODULES: u64 = 2_000;
/// Instructions before the optimizer; it never makes a program longer than a few times that.
const MAX_STEPS: u64 = 20_000;

/// Every third module runs in a static frame.
fn run(module: &Module, seed: u64, max_steps: u64) -> Run {
    let mut env = Env { max_steps, is_static: seed % 3 == 2, calldata: (0..=99).collect(), ..Env::default() };
    env.words.insert(Opcode::CALLVALUE, Word::from(7));
    env.words.insert(Opcode::TIMESTAMP, Word::MAX);
    env.words.insert(Opcode::CALLER, Word::from(0xabcdef));
    env.storage.insert(Word::from(1), Word::MAX - Word::from(12));
    let mut time = Word::MAX;
    env.external = Some(Box::new(move |question| {
        // Calls move the clock, as those of tools for tests do.
        let is_call = question.opcode.known().effects.contains(Effects::WRITE_ENVIRONMENT);
        time -= Word::from(u64::from(is_call));
        ExternalResult { words: vec![(Opcode::TIMESTAMP, time)], ..ExternalResult::default() }
    }));
    interpret(module, &mut env).expect("the module is in free form")
}

/// The random module of a seed in canonical form, and what it does if that can be compared.
fn program(seed: u64) -> Option<(Module, Run)> {
    let text = generate::module(seed);
    let mut module = parse(&text, FileId(0)).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
    canonicalize(&mut module);
    let before = run(&module, seed, MAX_STEPS);
    match before.outcome {
        Outcome::Stop | Outcome::Return(_) | Outcome::Revert(_) => Some((module, before)),
        Outcome::Invalid | Outcome::StaticChange => Some((module, before)),
        Outcome::Unreachable | Outcome::SelfDestruct(_) => None,
        Outcome::Limit(_) | Outcome::Unsupported(_) => None,
    }
}

fn canonicalize(module: &mut Module) {
    if let Err(faults) = legalize(module, &cairn_legalize::Options::default()) {
        panic!("{faults:?}\n{}", print(module));
    }
}

/// Runs passes on a copy of a module, checks its form after each, and compares what it does.
fn check(seed: u64, module: &Module, before: &Run, passes: &[Pass]) {
    let mut optimized = module.clone();
    let check_form = |module: &Module, _: &str| match verify(module, Form::Ssa).iter().next() {
        Some(fault) => Err(format!("{}\n{}", fault.message, print(module))),
        None => Ok(()),
    };
    let hooks = Hooks { verify: Some(&check_form), ..Hooks::default() };
    let names: Vec<&str> = passes.iter().map(|pass| pass.name).collect();
    if let Err(fault) = run_passes(&mut optimized, passes, &Options::default(), hooks) {
        panic!("seed {seed}, {names:?}: {fault}\n{}", print(module));
    }
    canonicalize(&mut optimized);
    let after = run(&optimized, seed, 8 * MAX_STEPS);
    let describe = || format!("seed {seed}, {names:?}\n{}\n{}", print(module), print(&optimized));
    assert_eq!(end(&before.outcome), end(&after.outcome), "{}", describe());
    assert_eq!(before.storage, after.storage, "{}", describe());
    assert_eq!(before.transient, after.transient, "{}", describe());
    assert_eq!(before.logs, after.logs, "{}", describe());
}

/// All traps are one: what changes the state before `invalid` may go.
fn end(outcome: &Outcome) -> &Outcome {
    if *outcome == Outcome::StaticChange { &Outcome::Invalid } else { outcome }
}

fn n_modules() -> u64 {
    let asked = std::env::var("CAIRN_OPT_MODULES").ok().and_then(|text| text.parse().ok());
    asked.unwrap_or(MODULES)
}

#[test]
fn each_pass_alone_keeps_what_programs_do() {
    let promote = *pass("promote").expect("the pass exists");
    let n_modules = n_modules();
    let mut n_compared = 0;
    for seed in 0..n_modules {
        let Some((module, before)) = program(seed) else { continue };
        n_compared += 1;
        // A module in turn for each pass: together they see all of them.
        let pass = PASSES[seed as usize % PASSES.len()];
        match pass.needs.contains(&Property::Promoted) || seed.is_multiple_of(2) {
            true => check(seed, &module, &before, &[promote, pass]),
            false => check(seed, &module, &before, &[pass]),
        }
    }
    assert!(n_compared * 2 > n_modules, "only {n_compared} of {n_modules} runs can be compared");
}

#[test]
fn every_level_keeps_what_programs_do() {
    // All passes run on each module: fewer are enough.
    let n_modules = n_modules() / 4;
    for seed in 0..n_modules {
        let Some((module, before)) = program(seed) else { continue };
        let level = if seed.is_multiple_of(4) { Level::O1 } else { Level::O2 };
        check(seed, &module, &before, passes(level));
    }
}
