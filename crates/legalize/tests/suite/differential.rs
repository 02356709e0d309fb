//! Random free-form modules: what the interpreter makes of a module before it is legalized is what
//! its bytecode does on revm.
//!
//! Modules have all types, phis, switches, missing and repeated terminators, unreachable parts. The
//! printed text parses to the same module. Levels, the literal stackifier and the literal cascade
//! take turns. A run that reaches `evm.unreachable`, or the interpreter's step limit, is compiled
//! but not compared: it has no meaning, or no end.
//!
//! `CAIRN_FUZZ_SECONDS` sets how long it runs, `CAIRN_FUZZ_MODULES` how many modules (a small
//! number otherwise), `CAIRN_FUZZ_SEED` the first seed, `CAIRN_FUZZ_PLAIN` leaves the optimizer out.

use crate::generate::{self, Choices, Profile};
use crate::pipeline::{CONTRACT, compile};
use cairn_driver::{Level, Options};
use cairn_evm::{Fork, Opcode, Word};
use cairn_exec::{Environment, Machine, Message, Observation, Status, U256};
use cairn_ir::Module;
use cairn_ir::interp::{Env, Outcome, Run, interpret};
use cairn_ir::text::{parse, print};
use std::time::{Duration, Instant};

/// Modules without a limit in the environment.
const DEFAULT_MODULES: u64 = 600;

/// Steps of the interpreter; more than any of the short loops that end need.
const MAX_STEPS: u64 = 3_000;

/// Wei sent along.
const VALUE: u64 = 7;

fn calldata() -> Vec<u8> {
    (0..=99).collect()
}

/// A word in storage before the run.
fn stored() -> (Word, Word) {
    (Word::from(1), Word::MAX - Word::from(12))
}

fn interpreted(module: &Module) -> Run {
    let mut env = Env { max_steps: MAX_STEPS, calldata: calldata(), ..Env::default() };
    env.words.insert(Opcode::CALLVALUE, Word::from(VALUE));
    env.words.insert(Opcode::SELFBALANCE, Word::from(VALUE));
    env.words.insert(Opcode::TIMESTAMP, Word::from(15));
    env.words.insert(Opcode::CHAINID, Word::from(1));
    env.words.insert(Opcode::CALLER, Word::from_be_slice(cairn_exec::account(0).as_slice()));
    env.storage.extend([stored()]);
    match interpret(module, &mut env) {
        Ok(run) => run,
        Err(faults) => panic!("not in free form: {:?}\n{}", faults.iter().next(), print(module)),
    }
}

/// Everything but code and call is the same for all modules.
struct Chain {
    machine: Machine,
}

impl Chain {
    fn new() -> Self {
        let environment = Environment { fork: Fork::default(), ..Environment::default() };
        Chain { machine: Machine::new(environment) }
    }

    fn run(&self, code: &[u8]) -> Observation {
        let mut machine = self.machine.clone();
        machine.set_code(CONTRACT, code.to_vec());
        let (key, word) = stored();
        machine.set_storage(CONTRACT, key, word);
        let message = Message::new(calldata()).with_value(U256::from(VALUE));
        let outcome = machine.call(CONTRACT, &message).expect("a valid transaction");
        machine.observe(&outcome)
    }
}

/// How one module is built.
fn options(seed: u64) -> Options {
    let is_plain = std::env::var_os("CAIRN_FUZZ_PLAIN").is_some();
    let levels = if is_plain { [Level::O0; 4] } else { [Level::O0, Level::O2, Level::O0, Level::Os] };
    Options {
        level: levels[(seed % 4) as usize],
        spec: seed % 5 == 4,
        switch_cascade: seed % 7 == 6,
        runs: 1 << (seed % 20),
        verify: seed.is_multiple_of(8),
        recover: true,
        ..Options::default()
    }
}

fn profile(seed: u64) -> Profile {
    let wide = seed.is_multiple_of(3);
    Profile { wide, odd: seed.is_multiple_of(2), max_blocks: if wide { 5 } else { 8 } }
}

/// Checks one module: whether it was compared, or what is wrong.
fn check(seed: u64, chain: &Chain) -> Result<bool, String> {
    let module = generate::module(&mut Choices::from_seed(seed), profile(seed));
    let text = print(&module);
    let fail = |message: String| Err(format!("seed {seed}: {message}\n{text}"));
    match parse(&text, cairn_diag::FileId(0)) {
        Ok(again) if print(&again) == text => {}
        Ok(again) => return fail(format!("prints otherwise after parsing:\n{}", print(&again))),
        Err(faults) => return fail(format!("does not parse: {:?}", faults.iter().next())),
    }
    let before = interpreted(&module);
    let code = match compile(module, options(seed)) {
        Ok(code) => code,
        Err(message) => return fail(message),
    };
    let expected = match &before.outcome {
        Outcome::Limit(_) | Outcome::Invalid | Outcome::Unsupported(_) => return Ok(false),
        Outcome::Stop | Outcome::SelfDestruct(_) => (Status::Success, Vec::new()),
        Outcome::Return(bytes) => (Status::Success, bytes.clone()),
        Outcome::Revert(bytes) => (Status::Revert, bytes.clone()),
    };
    let found = chain.run(&code);
    let found_logs = found.logs.iter().map(|log| {
        let topics = log.topics.iter().map(|topic| Word::from_be_bytes(topic.0)).collect();
        cairn_ir::interp::Log { topics, data: log.data.to_vec() }
    });
    let same = (found.status, found.output.to_vec()) == expected
        && found_logs.eq(before.logs.iter().cloned())
        && found.storage.get(&CONTRACT).cloned().unwrap_or_default() == before.storage;
    match same {
        true => Ok(true),
        false => fail(format!("expected {before:?}, found {found:?}")),
    }
}

#[test]
fn interpreter_before_is_bytecode_after() {
    let variable = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = variable("CAIRN_FUZZ_SEED").unwrap_or(0);
    let seconds = variable("CAIRN_FUZZ_SECONDS").map(Duration::from_secs);
    let count = variable("CAIRN_FUZZ_MODULES").or(seconds.map(|_| u64::MAX)).unwrap_or(DEFAULT_MODULES);
    let start = Instant::now();
    let chain = Chain::new();
    let (mut modules, mut compared, mut faults) = (0u64, 0u64, Vec::new());
    while modules < count && seconds.is_none_or(|limit| start.elapsed() < limit) && faults.len() < 5 {
        match check(first + modules, &chain) {
            Ok(is_compared) => compared += u64::from(is_compared),
            Err(fault) => faults.push(fault),
        }
        modules += 1;
    }
    eprintln!("{modules} modules, {compared} ran to an end, {} differ, {:?}", faults.len(), start.elapsed());
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    assert!(compared * 3 > modules, "only {compared} of {modules} runs ended");
}
