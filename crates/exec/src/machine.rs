//! A chain in memory: deploys and calls contracts.

use crate::environment::{Blank, BlockFacts, Environment, Prices, SECONDS_A_BLOCK, StateAccess, account};
use crate::observer::Observer;
use crate::outcome::{Gas, Log, Observation, Outcome, Status};
use crate::record::{Record, Recording};
use crate::watch::Watch;
use alloy_primitives::{Address, Bytes, TxKind, U256};
use cairn_evm::gas::{Target, intrinsic_gas};
use cairn_evm::{Fork, Opcode};
use revm::context::{Context, TxEnv};
use revm::context_interface::Host;
use revm::context_interface::result::{ExecutionResult, Output};
use revm::database::CacheDB;
use revm::handler::instructions::EthInstructions;
use revm::interpreter::interpreter_types::StackTr;
use revm::interpreter::{
    Instruction, InstructionContext, InstructionExecResult, InstructionResult, InterpreterTypes,
};
use revm::state::{AccountInfo, Bytecode};
use revm::{ExecuteCommitEvm, InspectCommitEvm, MainBuilder, MainContext};
use std::fmt;

/// What `GAS` says under [`Prices::Nominal`]: more than any call asks for.
const NOMINAL_GAS: u64 = 1 << 40;

/// Where [`run_code`] puts the code.
const CODE_ADDRESS: Address = Address::repeat_byte(0xc0);

/// Data, value and sender of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Calldata, or creation code with constructor arguments.
    pub data: Bytes,
    /// Wei sent along.
    pub value: U256,
    /// Who sends it.
    pub sender: Address,
    /// Whether a call runs in a static frame, as if `STATICCALL` made it: an operation that changes
    /// the state halts. Such a call passes no wei; a deployment is never static.
    pub is_static: bool,
}

impl Message {
    /// A message without value from [`account`]`(0)`.
    pub fn new(data: impl Into<Bytes>) -> Self {
        Message { data: data.into(), value: U256::ZERO, sender: account(0), is_static: false }
    }

    /// Sends wei along.
    #[must_use]
    pub fn with_value(self, value: U256) -> Self {
        Message { value, ..self }
    }

    /// Sets the sender.
    #[must_use]
    pub fn from(self, sender: Address) -> Self {
        Message { sender, ..self }
    }

    /// Makes it a static call, without value.
    #[must_use]
    pub fn statically(self) -> Self {
        Message { value: U256::ZERO, is_static: true, ..self }
    }
}

/// The transaction could not be executed at all. (Lack of funds for the value is a halt.)
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected(pub String);

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "transaction rejected: {}", self.0)
    }
}

impl std::error::Error for Rejected {}

/// A chain in memory.
#[derive(Clone, Debug)]
pub struct Machine {
    environment: Environment,
    db: CacheDB<Blank>,
    transactions: u64,
    record: Record,
    recording: Recording,
    watch: Watch,
}

impl Machine {
    /// A new chain.
    pub fn new(environment: Environment) -> Self {
        let db = environment.database();
        Machine {
            environment,
            db,
            transactions: 0,
            record: Record::default(),
            recording: Recording::default(),
            watch: Watch::default(),
        }
    }

    /// Chooses what later transactions record.
    pub fn set_record(&mut self, record: Record) {
        self.record = record;
    }

    /// What was recorded of the last transaction.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// What was watched of the last transaction.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Sets the gas limit of later transactions.
    pub fn set_gas_limit(&mut self, gas_limit: u64) {
        self.environment.gas_limit = gas_limit;
    }

    /// Number of the next transaction's block.
    pub fn set_block_number(&mut self, number: u64) {
        self.environment.number = number.wrapping_sub(self.transactions + 1);
    }

    /// Time of the next transaction's block.
    pub fn set_timestamp(&mut self, timestamp: u64) {
        let passed = SECONDS_A_BLOCK * (self.transactions + 1);
        self.environment.timestamp = timestamp.wrapping_sub(passed);
    }

    /// What later transactions are told of their blocks.
    pub fn block_facts(&self) -> &BlockFacts {
        &self.environment.block
    }

    /// Sets what later transactions are told of their blocks.
    pub fn set_block_facts(&mut self, facts: BlockFacts) {
        self.environment.block = facts;
    }

    /// Time of the last block.
    pub fn timestamp(&self) -> u64 {
        self.environment.timestamp.wrapping_add(SECONDS_A_BLOCK * self.transactions)
    }

    /// Lets time pass before the next transaction, and blocks in proportion.
    pub fn pass_time(&mut self, seconds: u64) {
        self.environment.timestamp = self.environment.timestamp.wrapping_add(seconds);
        let blocks = seconds / SECONDS_A_BLOCK;
        self.environment.number = self.environment.number.wrapping_add(blocks);
    }

    /// Puts code at an address, without running anything.
    pub fn set_code(&mut self, address: Address, code: impl Into<Bytes>) {
        let balance = self.balance(address);
        let code = Bytecode::new_legacy(code.into());
        let info = AccountInfo {
            balance,
            nonce: 1,
            code_hash: code.hash_slow(),
            code: Some(code),
            account_id: None,
        };
        self.db.insert_account_info(address, info);
    }

    /// The code at an address.
    pub fn code(&self, address: Address) -> Bytes {
        let Some(found) = self.db.cache.accounts.get(&address) else { return Bytes::new() };
        let by_hash = || self.db.cache.contracts.get(&found.info.code_hash);
        found.info.code.as_ref().or_else(by_hash).map(Bytecode::original_bytes).unwrap_or_default()
    }

    /// The balance of an account.
    pub fn balance(&self, address: Address) -> U256 {
        self.db.cache.accounts.get(&address).map(|found| found.info.balance).unwrap_or_default()
    }

    /// Gives an account a balance and a nonce, without running anything.
    pub fn set_account(&mut self, address: Address, balance: U256, nonce: u64) {
        let account = self.db.cache.accounts.get(&address);
        let info = account.map(|account| account.info.clone()).unwrap_or_default();
        self.db.insert_account_info(address, AccountInfo { balance, nonce, ..info });
    }

    /// A word of an account's storage.
    pub fn storage(&self, address: Address, key: U256) -> U256 {
        let found = self.db.cache.accounts.get(&address);
        found.and_then(|found| found.storage.get(&key)).copied().unwrap_or_default()
    }

    /// Sets a word of an account's storage, without running anything.
    pub fn set_storage(&mut self, address: Address, key: U256, value: U256) {
        let set = self.db.insert_account_storage(address, key, value);
        set.expect("invariant: the empty database has no errors");
    }

    /// Runs creation code.
    ///
    /// # Errors
    /// If the gas limit is below the intrinsic cost, or the sender is a contract.
    pub fn deploy(&mut self, message: &Message) -> Result<Outcome, Rejected> {
        self.transact(TxKind::Create, message)
    }

    /// Calls an account.
    ///
    /// # Errors
    /// If the gas limit is below the intrinsic cost, or the sender is a contract.
    pub fn call(&mut self, to: Address, message: &Message) -> Result<Outcome, Rejected> {
        self.transact(TxKind::Call(to), message)
    }

    /// Everything that can be seen after a transaction with this outcome.
    pub fn observe(&self, outcome: &Outcome) -> Observation {
        let mut observation = Observation {
            status: outcome.status,
            output: outcome.output.clone(),
            logs: outcome.logs.clone(),
            storage: Default::default(),
            balances: Default::default(),
        };
        if outcome.created.is_some() {
            observation.output = Bytes::new();
        }
        #[expect(clippy::iter_over_hash_type, reason = "collected into ordered maps")]
        for (address, found) in &self.db.cache.accounts {
            let words = found.storage.iter().filter(|(_, value)| **value != self.environment.storage);
            let words: std::collections::BTreeMap<U256, U256> =
                words.map(|(key, value)| (*key, *value)).collect();
            if !words.is_empty() {
                observation.storage.insert(*address, words);
            }
            if found.info.balance != self.environment.initial_balance(address) {
                observation.balances.insert(*address, found.info.balance);
            }
        }
        observation
    }

    fn transact(&mut self, kind: TxKind, message: &Message) -> Result<Outcome, Rejected> {
        let is_static = message.is_static && !kind.is_create();
        let nonce = self.db.cache.accounts.get(&message.sender).map_or(0, |found| found.info.nonce);
        let transaction = TxEnv {
            tx_type: 0,
            caller: message.sender,
            gas_limit: self.environment.gas_limit,
            gas_price: self.environment.gas_price,
            kind,
            value: if is_static { U256::ZERO } else { message.value },
            data: message.data.clone(),
            nonce,
            chain_id: Some(1),
            ..TxEnv::default()
        };
        let context = Context::mainnet()
            .with_db(&mut self.db)
            .with_cfg(self.environment.config())
            .with_block(self.environment.block(self.transactions));
        self.transactions += 1;
        let Environment { prices, created_at, .. } = self.environment;
        let access = if is_static { StateAccess::ReadOnly } else { StateAccess::Full };
        let observer = Observer::new(self.record, access, created_at);
        let result = match observer {
            None => {
                let mut evm = context.build_mainnet();
                set_prices(prices, &mut evm.instruction);
                evm.transact_commit(transaction)
            }
            Some(mut observer) => {
                let mut evm = context.build_mainnet_with_inspector(&mut observer);
                set_prices(prices, &mut evm.instruction);
                let result = evm.inspect_tx_commit(transaction);
                drop(evm);
                match observer {
                    Observer::Static(_) => {}
                    Observer::Recorder(recorder) => self.recording = recorder.recording,
                    Observer::Watcher(watcher) => self.watch = watcher.watch,
                }
                result
            }
        };
        let result = result.map_err(|error| Rejected(error.to_string()))?;
        let target = if kind.is_create() { Target::Create } else { Target::Call };
        let intrinsic = intrinsic_gas(&message.data, target, self.environment.fork);
        Ok(outcome_of(result, intrinsic))
    }
}

/// Instructions that keep their price under [`Prices::Nominal`]: loops end, and so do calls of calls.
const PAID: [Opcode; 5] =
    [Opcode::JUMPDEST, Opcode::CALL, Opcode::CALLCODE, Opcode::DELEGATECALL, Opcode::STATICCALL];

/// Leaves a price to the few instructions that need one, and makes `GAS` say the same everywhere.
fn set_prices<I: InterpreterTypes, H: Host>(prices: Prices, instructions: &mut EthInstructions<I, H>) {
    match prices {
        Prices::Fork => {}
        Prices::Nominal => {
            let table = instructions.gas_table_mut();
            let prices = PAID.map(|opcode| table[usize::from(opcode.0)]);
            table.fill(0);
            PAID.iter().zip(prices).for_each(|(opcode, price)| table[usize::from(opcode.0)] = price);
            instructions.insert_instruction(Opcode::GAS.0, Instruction::new(nominal_gas), 0);
        }
    }
}

/// `GAS` under [`Prices::Nominal`].
fn nominal_gas<I: InterpreterTypes, H: Host>(context: InstructionContext<'_, H, I>) -> InstructionExecResult {
    match context.interpreter.stack.push(U256::from(NOMINAL_GAS)) {
        true => Ok(()),
        false => Err(InstructionResult::StackOverflow),
    }
}

/// Runs runtime code at some address, called from [`account`]`(0)`.
///
/// # Errors
/// If the gas limit is below the intrinsic cost, or the sender is a contract.
pub fn run_code(fork: Fork, code: &[u8], message: &Message) -> Result<(Outcome, Observation), Rejected> {
    let mut machine = Machine::new(Environment { fork, ..Environment::default() });
    machine.set_code(CODE_ADDRESS, code.to_vec());
    let outcome = machine.call(CODE_ADDRESS, message)?;
    let observation = machine.observe(&outcome);
    Ok((outcome, observation))
}

fn outcome_of(result: ExecutionResult, intrinsic: u64) -> Outcome {
    let gas = result.gas();
    let gas = Gas {
        total: gas.tx_gas_used(),
        execution: gas.total_gas_spent().saturating_sub(intrinsic),
        refund: gas.inner_refunded(),
    };
    let mut outcome = Outcome {
        status: Status::Success,
        halt_reason: String::new(),
        output: Bytes::new(),
        logs: Vec::new(),
        gas,
        created: None,
    };
    match result {
        ExecutionResult::Success { logs, output, .. } => {
            let logs = logs.into_iter().map(|log| Log {
                address: log.address,
                topics: log.data.topics().to_vec(),
                data: log.data.data,
            });
            outcome.logs = logs.collect();
            match output {
                Output::Call(data) => outcome.output = data,
                Output::Create(code, address) => (outcome.output, outcome.created) = (code, address),
            }
        }
        ExecutionResult::Revert { output, .. } => {
            outcome.status = Status::Revert;
            outcome.output = output;
        }
        ExecutionResult::Halt { reason, .. } => {
            outcome.status = Status::Halt;
            outcome.halt_reason = reason.to_string();
        }
    }
    outcome
}
