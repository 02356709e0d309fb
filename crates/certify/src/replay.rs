//! Runs both programs on inputs: bytecode on revm, EVM-IR in its interpreter.
//!
//! A difference counts only when it is seen here. Where the two machines could differ by themselves the
//! run says nothing: precompiled contracts, creations, calls of the program itself, the size of memory. Nor does it
//! where the reference fails for want of memory and the code, which may have allocated less before, at what comes next
//! (A19).

use crate::subject::Subject;
use cairn_driver::Language;
use cairn_evm::account::{ACCOUNT_BITS, account_operand};
use cairn_evm::word::low_mask;
use cairn_evm::{Opcode, Word};
use cairn_exec::compare::CODE_ADDRESS;
use cairn_exec::{Address, Environment, Machine, Message, Prices, Status};
use cairn_ir::interp::{Env, External, ExternalResult, Outcome, Runnable};
use cairn_prove::{Assumption, Assumptions, Inputs, Placeholder};
use std::cell::Cell;
use std::collections::BTreeMap;

/// What a run did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) status: Status,
    pub(crate) data: Vec<u8>,
    pub(crate) storage: BTreeMap<Word, Word>,
    pub(crate) logs: Vec<(Vec<Word>, Vec<u8>)>,
}

/// Whether a frame may change the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    Plain,
    Static,
}

/// Two runs that differ.
#[derive(Clone, Debug)]
pub(crate) struct Witness {
    pub(crate) inputs: Inputs,
    pub(crate) frame: Frame,
    pub(crate) reference: Seen,
    pub(crate) tested: Seen,
}

/// A smaller program, or two, whose runs differ.
#[derive(Clone, Debug)]
pub(crate) struct Reduced {
    pub(crate) language: Language,
    pub(crate) reference: String,
    /// None where the tested program is the reference's own code.
    pub(crate) tested: Option<String>,
    /// How they differ.
    pub(crate) witness: Witness,
}

/// What the sender has.
const WEALTH: Word = Word::from_limbs([u64::MAX, u64::MAX, u64::MAX, 0]);
/// What `GAS` says.
const GAS: u64 = 1 << 40;
/// What code may spend at nominal prices: loops of many rounds, each with storage of its own, take memory.
const MAX_GAS: u64 = 2_000_000;
/// Steps of the source.
const MAX_STEPS: u64 = 200_000;
/// What Solidity's programs revert with that allocate more than there is: `Panic(0x41)`.
const OUT_OF_MEMORY: (&[u8], u8) = (&[0x4e, 0x48, 0x7b, 0x71], 0x41);
/// The highest address that may be a precompiled contract.
const LAST_PRECOMPILE: u64 = 0x1ff;

/// What somebody sees first of two runs that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aspect {
    /// How they end.
    Status,
    /// What they give back.
    Data,
    /// What storage holds.
    Storage,
    /// What they log.
    Logs,
}

impl Witness {
    /// In which way the runs differ: how each of them ends, and what differs first.
    pub(crate) fn manner(&self) -> (Status, Status, Aspect) {
        let (a, b) = (&self.reference, &self.tested);
        let aspect = if a.status != b.status {
            Aspect::Status
        } else if a.data != b.data {
            Aspect::Data
        } else if a.storage != b.storage {
            Aspect::Storage
        } else {
            Aspect::Logs
        };
        (a.status, b.status, aspect)
    }
}

/// Two programs that run on the same inputs.
pub(crate) struct Replay<'a> {
    reference: &'a Subject,
    written: Written<'a>,
    tested: &'a Subject,
    assumptions: Assumptions,
}

/// What runs of the reference.
enum Written<'a> {
    /// Its source, and the same with its heap elsewhere where it is not known where that of the code begins.
    Source(Runnable<'a>, Option<Runnable<'a>>),
    /// Its code, which is all there is.
    Code,
    /// Nothing: a run would not decide.
    Nothing,
}

impl<'a> Replay<'a> {
    pub(crate) fn new(reference: &'a Subject, tested: &'a Subject, assumptions: Assumptions) -> Self {
        let written = match &reference.module {
            None => Written::Code,
            Some(_) if reference.is_erratic() => Written::Nothing,
            Some(module) => {
                let moved = reference.moved.as_ref().map(Runnable::new).transpose();
                match (Runnable::new(module), moved) {
                    (Ok(module), Ok(moved)) => Written::Source(module, moved),
                    _ => Written::Nothing,
                }
            }
        };
        Replay { reference, written, tested, assumptions }
    }

    /// How the programs differ on inputs, if they do.
    pub(crate) fn witness(&self, inputs: &Inputs) -> Option<Witness> {
        [Frame::Plain, Frame::Static].into_iter().find_map(|frame| self.witness_in(frame, inputs))
    }

    /// How they differ in a frame, if they do.
    pub(crate) fn witness_in(&self, frame: Frame, inputs: &Inputs) -> Option<Witness> {
        let (a, b) = (self.run_reference(inputs, frame)?, run_code(self.tested, inputs, frame)?);
        let differs = a != b && !self.is_out_of_memory(&a, &b);
        differs.then(|| Witness { inputs: inputs.clone(), frame, reference: a, tested: b })
    }

    /// True for two failures, the first for want of memory in a program that keeps the pointer to free memory.
    fn is_out_of_memory(&self, reference: &Seen, tested: &Seen) -> bool {
        let (selector, code) = OUT_OF_MEMORY;
        self.assumptions.has(Assumption::ALLOCATIONS)
            && self.reference.keeps_pointer
            && reference.status == Status::Revert
            && tested.status != Status::Success
            && reference.data.strip_prefix(selector).is_some_and(|word| word.last() == Some(&code))
    }

    fn run_reference(&self, inputs: &Inputs, frame: Frame) -> Option<Seen> {
        match self.written {
            Written::Nothing => None,
            Written::Code => run_code(self.reference, inputs, frame),
            Written::Source(module, moved) => {
                let seen = run_source(module, self.reference, inputs, frame)?;
                // Where the heap begins is the compiler's choice. A run that shows it decides nothing.
                let is_certain = match moved {
                    Some(moved) => run_source(moved, self.reference, inputs, frame)? == seen,
                    None => true,
                };
                is_certain.then_some(seen)
            }
        }
    }
}

fn value(inputs: &Inputs, frame: Frame) -> Word {
    match frame {
        Frame::Plain => {
            let value = inputs.environment.get(&Opcode::CALLVALUE).copied().unwrap_or_default();
            value.min(WEALTH)
        }
        Frame::Static => Word::ZERO,
    }
}

fn sender(inputs: &Inputs) -> Address {
    let caller = inputs.environment.get(&Opcode::CALLER).copied().unwrap_or_default();
    let address = Address::from_word(caller.into());
    // Contracts and precompiled ones send no transactions.
    let is_special = caller <= Word::from(LAST_PRECOMPILE) || address == CODE_ADDRESS;
    if is_special { cairn_exec::account(0) } else { address }
}

fn number(inputs: &Inputs, opcode: Opcode) -> u64 {
    let found = inputs.environment.get(&opcode).copied();
    found.and_then(|word| u64::try_from(word).ok()).unwrap_or(1).clamp(1, 1 << 40)
}

/// The code of a program with its immutables in place.
fn deployed(subject: &Subject, inputs: &Inputs) -> Option<Vec<u8>> {
    let mut code = subject.bytes.clone();
    for (offset, placeholder) in &subject.placeholders {
        match placeholder {
            Placeholder::Immutable(number) => {
                let word = inputs.immutables.get(number).copied().unwrap_or_default();
                let width = Opcode(*code.get(offset.checked_sub(1)?)?).push_width()?;
                let bytes = &word.to_be_bytes::<32>()[32 - usize::from(width)..];
                code.get_mut(*offset..offset + bytes.len())?.copy_from_slice(bytes);
            }
            Placeholder::Library(_) => {}
        }
    }
    Some(code)
}

fn run_code(subject: &Subject, inputs: &Inputs, frame: Frame) -> Option<Seen> {
    let (fork, prices, gas_limit) = (subject.fork, Prices::Nominal, MAX_GAS);
    let environment = Environment { fork, prices, gas_limit, ..Environment::default() };
    let mut machine = Machine::new(environment);
    machine.set_code(CODE_ADDRESS, deployed(subject, inputs)?);
    inputs.storage.iter().for_each(|(key, word)| machine.set_storage(CODE_ADDRESS, *key, *word));
    let sender = sender(inputs);
    machine.set_account(sender, WEALTH, 0);
    machine.set_block_number(number(inputs, Opcode::NUMBER));
    machine.set_timestamp(number(inputs, Opcode::TIMESTAMP));
    let message = Message::new(inputs.calldata.clone()).from(sender).with_value(value(inputs, frame));
    let message = if frame == Frame::Static { message.statically() } else { message };
    let outcome = machine.call(CODE_ADDRESS, &message).ok()?;
    if outcome.is_out_of_gas() {
        return None;
    }
    let mut observation = machine.observe(&outcome);
    let storage = observation.storage.remove(&CODE_ADDRESS).unwrap_or_default();
    let words = |topics: &[cairn_exec::B256]| topics.iter().map(|topic| (*topic).into()).collect();
    let logs = outcome.logs.iter().map(|log| (words(&log.topics), log.data.to_vec())).collect();
    Some(Seen { status: outcome.status, data: outcome.output.to_vec(), storage, logs })
}

fn run_source(source: Runnable<'_>, subject: &Subject, inputs: &Inputs, frame: Frame) -> Option<Seen> {
    let is_uncertain = Cell::new(false);
    let answer = |question: &External| {
        let answer = answer(question);
        is_uncertain.set(is_uncertain.get() || answer.is_none());
        answer.unwrap_or_default()
    };
    let caller: Word = sender(inputs).into_word().into();
    let value = value(inputs, frame);
    let mut words = BTreeMap::from([
        (Opcode::CALLER, caller),
        (Opcode::ORIGIN, caller),
        (Opcode::CALLVALUE, value),
        (Opcode::SELFBALANCE, value),
        (Opcode::ADDRESS, CODE_ADDRESS.into_word().into()),
        (Opcode::GAS, Word::from(GAS)),
        (Opcode::CHAINID, Word::from(1)),
        (Opcode::BASEFEE, Word::from(7)),
        (Opcode::BLOBBASEFEE, Word::from(1)),
        (Opcode::GASPRICE, Word::from(3_000_000_000u64)),
        (Opcode::GASLIMIT, Word::from(20_000_000)),
        (Opcode::COINBASE, Address::repeat_byte(0x78).into_word().into()),
        (Opcode::NUMBER, Word::from(number(inputs, Opcode::NUMBER))),
        (Opcode::TIMESTAMP, Word::from(number(inputs, Opcode::TIMESTAMP))),
        (Opcode::CODESIZE, Word::from(subject.bytes.len())),
    ]);
    words.insert(Opcode::PREVRANDAO, cairn_exec::BlockFacts::default().prevrandao.into());
    let named = inputs.immutables.iter().filter_map(|(number, word)| {
        subject.immutables.get(*number as usize).map(|name| (name.clone(), *word))
    });
    let mut env = Env {
        calldata: inputs.calldata.clone(),
        is_static: frame == Frame::Static,
        words,
        storage: inputs.storage.clone(),
        immutables: named.collect(),
        // Programs may look at the code of those that they create: it is what the compiler made it.
        image: Some((deployed(subject, inputs)?, subject.places.clone())),
        external: Some(Box::new(answer)),
        max_steps: MAX_STEPS,
        ..Env::default()
    };
    let run = source.run(&mut env);
    drop(env);
    if is_uncertain.get() {
        return None;
    }
    let (status, data) = match run.outcome {
        Outcome::Stop => (Status::Success, Vec::new()),
        Outcome::Return(data) => (Status::Success, data),
        Outcome::Revert(data) => (Status::Revert, data),
        Outcome::Invalid | Outcome::StaticChange => (Status::Halt, Vec::new()),
        Outcome::Unreachable | Outcome::SelfDestruct(_) => return None,
        Outcome::Limit(_) | Outcome::Unsupported(_) => return None,
    };
    let logs = run.logs.into_iter().map(|log| (log.topics, log.data)).collect();
    Some(Seen { status, data, storage: run.storage, logs })
}

/// What an account without code answers; `None` where another is asked, or the answer is not known here.
fn answer(question: &External) -> Option<ExternalResult> {
    let is_call = [Opcode::CALL, Opcode::CALLCODE, Opcode::DELEGATECALL, Opcode::STATICCALL];
    let plain = |word: Word| Some(ExternalResult { word, ..ExternalResult::default() });
    match question.opcode {
        opcode if is_call.contains(&opcode) => {
            let operand = question.args.get(account_operand(opcode)?)?;
            let account = *operand & low_mask(usize::from(ACCOUNT_BITS));
            let sends = [Opcode::CALL, Opcode::CALLCODE].contains(&opcode) && !question.args[2].is_zero();
            let is_empty = account > Word::from(LAST_PRECOMPILE)
                && account != Word::from_be_bytes(CODE_ADDRESS.into_word().0);
            if is_empty && !sends { plain(Word::from(1)) } else { None }
        }
        _ => None,
    }
}
