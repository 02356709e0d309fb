//! Random modules mean the same after each pass, alone and in the pipeline, as before it: the
//! interpreter is the judge. `CAIRN_OPT_MODULES` sets how many there are.

mod generate;
mod program;

use cairn_ir::Module;
use cairn_ir::interp::{Outcome, Run};
use cairn_ir::text::print;
use cairn_ir::verify::{Form, verify};
use cairn_opt::pass::{Pass, Property};
use cairn_opt::pipeline::{Level, PASSES, pass, passes};
use cairn_opt::{Hooks, Options, run_passes};
use program::{MAX_STEPS, canonicalize, n_programs, program, run};

/// Modules in a run that nobody asked to be longer.
const MODULES: u64 = 2_000;
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

#[test]
fn each_pass_alone_keeps_what_programs_do() {
    let promote = *pass("promote").expect("the pass exists");
    let n_modules = n_programs(MODULES);
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
    let n_modules = n_programs(MODULES) / 4;
    for seed in 0..n_modules {
        let Some((module, before)) = program(seed) else { continue };
        let level = if seed.is_multiple_of(4) { Level::O1 } else { Level::O2 };
        check(seed, &module, &before, passes(level));
    }
}
