//! Modules of EVM-IR whose operands and results have any widths, each independent of the others.
//!
//! A module loads operands from calldata or has them as constants, applies one to three operations,
//! the later ones to results of the earlier ones, too, and returns all results. Values also pass
//! through calls, edges, switches, memory and storage. What it returns is
//! compared three ways: bytecode on revm, the interpreter of EVM-IR in free form, and arithmetic
//! written here after docs/ir.md ([`arithmetic`]).
//!
//! Varies: every operation that computes; widths from 1 to 4096 bits of each operand and each result;
//! values from the edges of every width around, with upper bits where a load cuts them; level, fork.
//!
//! Not taken for granted: that an operation's operands are as wide as its result; that counts, shifts
//! and conditions are words; that a fork is new.

mod arithmetic;
mod module;

use crate::harness::{Merge, check_seeds};
use crate::random::Random;
use arithmetic::Number;
use cairn_diag::FileId;
use cairn_driver::{Emit, Failure, Level, Options, Session, build_module};
use cairn_evm::{Fork, Opcode, Word};
use cairn_exec::{Address, Environment, Machine, Message, Status, account};
use cairn_ir::interp::{Env, Outcome, interpret};
use module::Module;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

const CONTRACT: Address = Address::repeat_byte(0xcc);
const GAS_LIMIT: u64 = 1 << 32;
/// Of the first block.
const TIME: u64 = 15;
/// Calls of a module.
const N_INPUTS: usize = 3;
/// Faults that are shown.
const MAX_SHOWN: usize = 24;

/// What happened.
#[derive(Debug, Default)]
struct Counts {
    modules: u64,
    /// The verifier does not accept the widths.
    rejected: u64,
    /// What it says, and how often.
    reasons: BTreeMap<String, u64>,
    /// Calls compared.
    compared: u64,
    reverted: u64,
}

impl Merge for Counts {
    fn merge(&mut self, other: &Self) {
        self.modules += other.modules;
        self.rejected += other.rejected;
        for (reason, times) in &other.reasons {
            *self.reasons.entry(reason.clone()).or_default() += times;
        }
        self.compared += other.compared;
        self.reverted += other.reverted;
    }
}

/// Checks as many modules as asked for.
pub(crate) fn run(default: u64) {
    let (counts, count) = check_seeds("widths", default, MAX_SHOWN, check);
    if count > 1 {
        assert!(counts.rejected * 4 < counts.modules, "too many are no modules: {counts:?}");
        assert!(counts.compared > counts.modules, "hardly anything was compared: {counts:?}");
        assert!(counts.reverted * 4 < counts.compared, "hardly anything succeeded: {counts:?}");
    }
}

fn options(seed: u64) -> Options {
    let level = Level::ALL[(seed % 5) as usize];
    let fork = if seed.is_multiple_of(3) {
        Fork::ALL[(seed / 3) as usize % Fork::ALL.len()]
    } else {
        Fork::default()
    };
    // revm does not execute the drafts of the newest fork.
    let fork = if fork == Fork::Amsterdam { Fork::Osaka } else { fork };
    Options { level, fork, spec: seed % 11 == 10, verify: seed.is_multiple_of(16), ..Options::default() }
}

/// What is wrong with how a module is compiled or interpreted.
fn check(seed: u64, counts: &mut Counts) -> Option<String> {
    counts.modules += 1;
    let mut random = Random::new(seed);
    let module = Module::choose(&mut random);
    let text = module.text();
    let options = options(seed);
    let fail = |message: String| Some(format!("{message}\n-O{} {}\n{text}", options.level, options.fork));
    let parsed = match cairn_ir::text::parse(&text, FileId(0)) {
        Ok(parsed) => parsed,
        Err(faults) => return fail(format!("does not parse: {:?}", faults.iter().next())),
    };
    let inputs: Vec<Vec<u8>> = (0..N_INPUTS).map(|_| module.calldata(&mut random)).collect();
    for input in &inputs {
        let expected = module.evaluate(input);
        let mut env = Env { calldata: input.clone(), ..Env::default() };
        let words =
            [(Opcode::CALLER, "caller"), (Opcode::ADDRESS, "address"), (Opcode::TIMESTAMP, "timestamp")];
        env.words.extend(words.map(|(opcode, name)| (opcode, surroundings(name))));
        let run = match interpret(&parsed, &mut env) {
            Ok(run) => run,
            Err(faults) => {
                let reason = faults.iter().next().map_or_else(String::new, |fault| fault.message.clone());
                counts.rejected += 1;
                *counts.reasons.entry(reason).or_default() += 1;
                return None;
            }
        };
        let found = match run.outcome {
            Outcome::Return(bytes) => Some(bytes),
            Outcome::Revert(_) => None,
            other => return fail(format!("the interpreter ends with {other:?}")),
        };
        if found != expected {
            return fail(differ("the interpreter", input, &expected, &found));
        }
    }
    let code = match compile(parsed, &options) {
        Ok(code) => code,
        Err(message) => return fail(message),
    };
    for input in inputs {
        let expected = module.evaluate(&input);
        let (status, found) = execute(options.fork, &code, &input);
        let found = (status == Status::Success).then_some(found);
        if found != expected {
            return fail(differ("bytecode", &input, &expected, &found));
        }
        counts.compared += 1;
        counts.reverted += u64::from(expected.is_none());
    }
    None
}

fn differ(who: &str, input: &[u8], expected: &Option<Vec<u8>>, found: &Option<Vec<u8>>) -> String {
    let shown =
        |output: &Option<Vec<u8>>| output.as_ref().map_or("revert".to_owned(), cairn_evm::hex::encode);
    let input = cairn_evm::hex::encode(input);
    format!("{who} on {input} gives\n{} instead of\n{}", shown(found), shown(expected))
}

fn compile(module: cairn_ir::Module, options: &Options) -> Result<Vec<u8>, String> {
    let mut session = Session::default();
    let Ok(result) =
        catch_unwind(AssertUnwindSafe(|| build_module(module, &[Emit::Bin], options, &mut session)))
    else {
        return Err("panics".to_owned());
    };
    match result {
        Ok(artifacts) => {
            let hex = artifacts.get(Emit::Bin).expect("asked for");
            Ok(cairn_evm::hex::decode(hex.trim()).expect("valid hex"))
        }
        Err(Failure::Bug(message)) => Err(message),
        Err(Failure::Input) => {
            Err(session.diagnostics.iter().map(|fault| fault.message.as_str()).collect::<Vec<_>>().join("; "))
        }
    }
}

/// What a module is told of its surroundings.
fn surroundings(name: &str) -> Word {
    let address = |address: Address| Word::from_be_slice(address.as_slice());
    match name {
        "caller" => address(account(0)),
        "address" => address(CONTRACT),
        "timestamp" => Word::from(TIME),
        other => unreachable!("no word `{other}`"),
    }
}

/// Calls the code on a chain of the fork.
fn execute(fork: Fork, code: &[u8], input: &[u8]) -> (Status, Vec<u8>) {
    thread_local! {
        static CHAINS: RefCell<Vec<(Fork, Machine)>> = const { RefCell::new(Vec::new()) };
    }
    CHAINS.with_borrow_mut(|chains| {
        let index = chains.iter().position(|(known, _)| *known == fork).unwrap_or(chains.len());
        if index == chains.len() {
            let environment = Environment { fork, gas_limit: GAS_LIMIT, ..Environment::default() };
            chains.push((fork, Machine::new(environment)));
        }
        // Each call is a block of its own, so time would pass.
        let mut machine = chains[index].1.clone();
        machine.set_code(CONTRACT, code.to_vec());
        let outcome = machine.call(CONTRACT, &Message::new(input.to_vec())).expect("a valid transaction");
        (outcome.status, outcome.output.to_vec())
    })
}

/// A number as the words that hold it in memory.
fn to_words(number: &Number) -> Vec<u8> {
    let n_bytes = number.bits.div_ceil(256) * 32;
    number.value.to_be_bytes::<1024>()[1024 - n_bytes..].to_vec()
}

fn from_words(bytes: &[u8], bits: usize) -> Number {
    Number::new(bits, arithmetic::Wide::from_be_slice(bytes))
}
