//! Random programs and their runs.

use super::generate;
use cairn_diag::FileId;
use cairn_evm::{Effects, Opcode, Word};
use cairn_ir::Module;
use cairn_ir::interp::{Env, ExternalResult, Outcome, Run, Watch, interpret};
use cairn_ir::text::{parse, print};
use cairn_legalize::legalize;

/// Instructions before the optimizer; it never makes a program longer than a few times that.
pub(crate) const MAX_STEPS: u64 = 20_000;

/// Random programs of a run: what `CAIRN_OPT_MODULES` says, or so many.
pub(crate) fn n_programs(unless_asked: u64) -> u64 {
    let asked = std::env::var("CAIRN_OPT_MODULES").ok().and_then(|text| text.parse().ok());
    asked.unwrap_or(unless_asked)
}

/// Runs a module where the seed says; every third one in a static frame.
pub(crate) fn run(module: &Module, seed: u64, max_steps: u64) -> Run {
    watched(module, seed, max_steps, None)
}

/// The same, and somebody watches.
pub(crate) fn watched(module: &Module, seed: u64, max_steps: u64, watch: Option<Watch<'_>>) -> Run {
    let mut env =
        Env { max_steps, is_static: seed % 3 == 2, calldata: (0..=99).collect(), watch, ..Env::default() };
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
pub(crate) fn program(seed: u64) -> Option<(Module, Run)> {
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

pub(crate) fn canonicalize(module: &mut Module) {
    if let Err(faults) = legalize(module, &cairn_legalize::Options::default()) {
        panic!("{faults:?}\n{}", print(module));
    }
}
