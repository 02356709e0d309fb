//! Random free-form modules: what the interpreter makes of a module before it is legalized is what
//! its bytecode does on revm.
//!
//! Modules have all types, phis, switches, missing and repeated terminators, unreachable parts,
//! functions that call themselves, calls of other accounts, data, frames or none. The printed text
//! parses to the same module. Levels, forks, the literal stackifier, clean stacks and the literal cascade take turns.
//! Each module runs on several inputs. A run that reaches `evm.unreachable`, or the interpreter's step
//! limit, is not compared: it has no meaning, or no end.
//!
//! `CAIRN_FUZZ_SECONDS` sets how long it runs, `CAIRN_FUZZ_MODULES` how many modules (a small
//! number otherwise), `CAIRN_FUZZ_SEED` the first seed, `CAIRN_FUZZ_PLAIN` leaves the optimizer out.

use crate::generate::{self, Choices, Profile};
use crate::pipeline::{CONTRACT, compile};
use crate::surroundings::{Chain, Input, MAX_STEPS};
use cairn_driver::{Level, Options, SwitchShape};
use cairn_evm::{Fork, Word};
use cairn_exec::{Observation, Status};
use cairn_ir::interp::{Log, Outcome, Run, interpret};
use cairn_ir::text::{parse, print};
use cairn_ir::{MemoryModel, Module};
use std::time::{Duration, Instant};

/// Modules without a limit in the environment.
const DEFAULT_MODULES: u64 = 600;

/// Values that are out of reach have no place in a module without frames.
const NO_ROOM: [&str; 2] = ["stack too deep", "but all memory is the program's"];

/// How one module is built.
fn options(seed: u64) -> Options {
    let is_plain = std::env::var_os("CAIRN_FUZZ_PLAIN").is_some();
    let level = match seed % 8 {
        _ if is_plain => Level::O0,
        1 | 5 => Level::O2,
        3 => Level::Os,
        6 => Level::O1,
        7 => Level::O3,
        _ => Level::O0,
    };
    Options {
        level,
        spec: seed % 5 == 4,
        strict_stack: seed % 11 == 10,
        switch: if seed % 7 == 6 { SwitchShape::Cascade } else { SwitchShape::Cost },
        runs: 1 << (seed % 20),
        verify: seed.is_multiple_of(9),
        explain: seed % 13 == 12,
        remarks: seed % 17 == 16,
        measure_stack: seed % 19 == 18,
        recover: true,
        ..Options::default()
    }
}

/// Forks that take turns with the latest.
const OLDER_FORKS: [Fork; 7] = [
    Fork::Byzantium,
    Fork::Constantinople,
    Fork::Istanbul,
    Fork::London,
    Fork::Shanghai,
    Fork::Cancun,
    Fork::Prague,
];

fn profile(seed: u64) -> Profile {
    let wide = seed.is_multiple_of(3);
    let older = OLDER_FORKS.get((seed % 32) as usize).copied();
    let fork = older.unwrap_or_default();
    let max_ops = if seed / 100 % 10 == 3 { 30 } else { 8 };
    Profile { wide, odd: seed.is_multiple_of(2), max_blocks: if wide { 5 } else { 8 }, max_ops, fork }
}

fn interpreted(module: &Module, input: &Input) -> Run {
    match interpret(module, &mut input.env(MAX_STEPS)) {
        Ok(run) => run,
        Err(faults) => panic!("not in free form: {:?}\n{}", faults.iter().next(), print(module)),
    }
}

/// Checks one module: how many of its runs were compared, or what is wrong.
fn check(seed: u64, chains: &mut Vec<Chain>) -> Result<u64, String> {
    let profile = profile(seed);
    let module = generate::module(&mut Choices::from_seed(seed), profile);
    let text = print(&module);
    let fail = |message: String| Err(format!("seed {seed}: {message}\n{text}"));
    match parse(&text, cairn_diag::FileId(0)) {
        Ok(again) if print(&again) == text => {}
        Ok(again) => return fail(format!("prints otherwise after parsing:\n{}", print(&again))),
        Err(faults) => return fail(format!("does not parse: {:?}", faults.iter().next())),
    }
    let inputs = Input::several(seed);
    let runs = inputs.each_ref().map(|input| interpreted(&module, input));
    let has_frames = module.memory == MemoryModel::Frames;
    let code = match compile(module, Options { fork: profile.fork, ..options(seed) }) {
        Ok(code) => code,
        Err(message) if !has_frames && NO_ROOM.iter().any(|text| message.contains(text)) => return Ok(0),
        Err(message) => return fail(message),
    };
    let chain = Chain::of(chains, profile.fork);
    let mut compared = 0;
    for (index, (input, run)) in inputs.iter().zip(runs).enumerate() {
        let Some(expected) = end(&run) else { continue };
        compared += 1;
        let found = chain.run(&code, input);
        if !is_same(&run, expected, &found) {
            return fail(format!("input {index}: expected {run:?}, found {found:?}"));
        }
    }
    Ok(compared)
}

/// How a run ended, if that has a meaning.
fn end(run: &Run) -> Option<(Status, &[u8])> {
    match &run.outcome {
        Outcome::Limit(_) | Outcome::Unreachable | Outcome::Unsupported(_) => None,
        Outcome::Invalid => Some((Status::Halt, &[])),
        Outcome::Stop | Outcome::SelfDestruct(_) => Some((Status::Success, &[])),
        Outcome::Return(bytes) => Some((Status::Success, bytes)),
        Outcome::Revert(bytes) => Some((Status::Revert, bytes)),
        Outcome::StaticChange => Some((Status::Halt, &[])),
    }
}

fn is_same(run: &Run, expected: (Status, &[u8]), found: &Observation) -> bool {
    let logs = found.logs.iter().map(|log| {
        let topics = log.topics.iter().map(|topic| Word::from_be_bytes(topic.0)).collect();
        Log { topics, data: log.data.to_vec() }
    });
    (found.status, &found.output[..]) == expected
        && logs.eq(run.logs.iter().cloned())
        && found.storage.get(&CONTRACT).map_or(run.storage.is_empty(), |storage| *storage == run.storage)
}

// Shows S000-01, S003-01.
#[test]
fn interpreter_before_is_bytecode_after() {
    let variable = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = variable("CAIRN_FUZZ_SEED").unwrap_or(0);
    let seconds = variable("CAIRN_FUZZ_SECONDS").map(Duration::from_secs);
    let count = variable("CAIRN_FUZZ_MODULES").or(seconds.map(|_| u64::MAX)).unwrap_or(DEFAULT_MODULES);
    let start = Instant::now();
    let mut chains = Vec::new();
    let (mut modules, mut ran, mut runs, mut faults) = (0u64, 0u64, 0u64, Vec::new());
    while modules < count && seconds.is_none_or(|limit| start.elapsed() < limit) && faults.len() < 5 {
        match check(first + modules, &mut chains) {
            Ok(compared) => {
                ran += u64::from(compared > 0);
                runs += compared;
            }
            Err(fault) => faults.push(fault),
        }
        modules += 1;
    }
    eprintln!(
        "{modules} modules, {ran} ran to an end, {runs} runs compared, {} differ, {:?}",
        faults.len(),
        start.elapsed()
    );
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    assert!(ran * 3 > modules * 2, "only {ran} of {modules} modules ran to an end");
}
