//! What random modules find around them, for the interpreter and for revm alike.

use crate::generate::{Choices, ECHO, ECHO_CODE};
use crate::pipeline::CONTRACT;
use cairn_evm::{Fork, Opcode, Word};
use cairn_exec::{Address, Environment, Machine, Message, Observation, U256};
use cairn_ir::interp::{Env, External, ExternalResult};

/// Steps of the interpreter; more than any of the short loops that end need.
pub(crate) const MAX_STEPS: u64 = 3_000;

/// One call of a module's code.
pub(crate) struct Input {
    calldata: Vec<u8>,
    value: u64,
    is_static: bool,
    /// A word in storage before the call.
    stored: (Word, Word),
}

impl Input {
    /// Some calls that differ in everything, most of all in what decides about branches. Every other
    /// module is called statically, too.
    pub(crate) fn several(seed: u64) -> [Input; 3] {
        let mut choices = Choices::from_seed(!seed);
        let random = (0..128).map(|_| choices.below(256) as u8).collect();
        [
            Input {
                calldata: (0..=99).collect(),
                value: 7,
                is_static: false,
                stored: (word(1), Word::MAX - word(12)),
            },
            Input { calldata: Vec::new(), value: 0, is_static: seed % 2 == 1, stored: (word(0), word(1)) },
            Input {
                calldata: random,
                value: 1 << 60,
                is_static: false,
                stored: (word(2), choices.number(256)),
            },
        ]
    }

    /// The same for the interpreter.
    pub(crate) fn env(&self, max_steps: u64) -> Env<'static> {
        let mut env =
            Env { max_steps, calldata: self.calldata.clone(), is_static: self.is_static, ..Env::default() };
        let caller = Word::from_be_slice(cairn_exec::account(0).as_slice());
        let words = [
            (Opcode::CALLVALUE, word(self.value)),
            (Opcode::SELFBALANCE, word(self.value)),
            (Opcode::TIMESTAMP, word(15)),
            (Opcode::CHAINID, word(1)),
            (Opcode::CALLER, caller),
        ];
        env.words.extend(words);
        env.storage.extend([self.stored]);
        let balance = word(self.value);
        env.external = Some(Box::new(move |question| answer(question, balance)));
        env
    }
}

fn word(number: u64) -> Word {
    Word::from(number)
}

/// The echo gives back its input and fails if that begins with an odd byte; other accounts have no
/// code. Before Istanbul the legalizer asks for the own balance by address.
fn answer(question: &External, balance: Word) -> ExternalResult {
    let is_call = [Opcode::CALL, Opcode::STATICCALL, Opcode::DELEGATECALL].contains(&question.opcode);
    if !is_call {
        return ExternalResult { word: balance, output: Vec::new(), ..ExternalResult::default() };
    }
    if question.args[1] != word(ECHO) {
        return ExternalResult { word: word(1), output: Vec::new(), ..ExternalResult::default() };
    }
    let fails = question.input.first().is_some_and(|byte| byte % 2 == 1);
    ExternalResult {
        word: word(u64::from(!fails)),
        output: question.input.clone(),
        ..ExternalResult::default()
    }
}

/// A chain on which everything but the code and the call is the same for all modules.
pub(crate) struct Chain {
    fork: Fork,
    machine: Machine,
}

impl Chain {
    pub(crate) fn new(fork: Fork) -> Self {
        let mut machine = Machine::new(Environment { fork, ..Environment::default() });
        let code = cairn_evm::hex::decode(ECHO_CODE.replace(' ', "")).expect("hex");
        machine.set_code(Address::from_word(word(ECHO).into()), code);
        Chain { fork, machine }
    }

    /// The chain of a fork, made at its first use.
    pub(crate) fn of(chains: &mut Vec<Chain>, fork: Fork) -> &Chain {
        let index = chains.iter().position(|chain| chain.fork == fork).unwrap_or(chains.len());
        if index == chains.len() {
            chains.push(Chain::new(fork));
        }
        &chains[index]
    }

    /// Calls the code.
    pub(crate) fn run(&self, code: &[u8], input: &Input) -> Observation {
        let mut machine = self.machine.clone();
        machine.set_code(CONTRACT, code.to_vec());
        machine.set_storage(CONTRACT, input.stored.0, input.stored.1);
        let message = Message::new(input.calldata.clone()).with_value(U256::from(input.value));
        let message = if input.is_static { message.statically() } else { message };
        let outcome = machine.call(CONTRACT, &message).expect("a valid transaction");
        machine.observe(&outcome)
    }
}
