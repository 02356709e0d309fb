//! Optional watching of a transaction: what a search for inputs learns from it.
//!
//! Branches are counted in a table of [`BRANCHES`] entries; those of different places may share an
//! entry, which loses a little and never says that a known way is new. Comparisons and offsets are
//! kept up to a limit.

use crate::environment::{CreatedAt, StateAccess};
use alloy_primitives::{B256, U256, keccak256};
use cairn_evm::Opcode;
use revm::Inspector;
use revm::context_interface::CreateScheme;
use revm::context_interface::result::HaltReason;
use revm::interpreter::interpreter_types::{Jumps, StackTr};
use revm::interpreter::{
    CallInputs, CallOutcome, CreateInputs, CreateOutcome, InstructionResult, Interpreter, InterpreterTypes,
    SuccessOrHalt,
};
use std::collections::BTreeSet;

/// Entries of [`Watch::branches`].
pub const BRANCHES: usize = 1 << 13;
const MAX_COMPARISONS: usize = 96;
const MAX_OFFSETS: usize = 64;

/// What was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Instructions executed.
    pub steps: u64,
    /// How often each way of each branch was taken, up to 255; empty where there was no branch.
    pub branches: Vec<u8>,
    /// Operands of comparisons (and of differences, which are compared with zero) that are not equal.
    pub comparisons: BTreeSet<(U256, U256)>,
    /// Operands of `CALLDATALOAD`.
    pub offsets: BTreeSet<u64>,
    /// A frame ended for want of gas, and the one that called it may have gone on.
    pub is_out_of_gas: bool,
}

/// Collects a [`Watch`] while revm runs, and gives new contracts their addresses.
pub(crate) struct Watcher {
    pub(crate) watch: Watch,
    created_at: CreatedAt,
    access: StateAccess,
    depth: usize,
}

impl Watcher {
    pub(crate) fn new(created_at: CreatedAt, access: StateAccess) -> Self {
        Watcher { watch: Watch::default(), created_at, access, depth: 0 }
    }

    fn take_branch(&mut self, pc: usize, condition: Option<U256>) {
        let is_taken = condition.is_some_and(|condition| !condition.is_zero());
        self.watch.branches.resize(BRANCHES, 0);
        let place = (pc * 2 + usize::from(is_taken) + self.depth * 2713) % BRANCHES;
        let count = &mut self.watch.branches[place];
        *count = count.saturating_add(1);
    }

    fn compare(&mut self, left: U256, right: U256) {
        if left != right && self.watch.comparisons.len() < MAX_COMPARISONS {
            self.watch.comparisons.insert((left, right));
        }
    }

    fn end_frame(&mut self, result: InstructionResult) {
        self.depth = self.depth.saturating_sub(1);
        let end = SuccessOrHalt::<HaltReason>::from(result);
        self.watch.is_out_of_gas |= matches!(end, SuccessOrHalt::Halt(HaltReason::OutOfGas(_)));
    }
}

impl<CTX, INTR: InterpreterTypes> Inspector<CTX, INTR> for Watcher {
    fn step(&mut self, interp: &mut Interpreter<INTR>, _: &mut CTX) {
        self.watch.steps += 1;
        let stack = interp.stack.data();
        let operand = |index: usize| stack.len().checked_sub(1 + index).map(|place| stack[place]);
        match Opcode(interp.bytecode.opcode()) {
            Opcode::JUMPI => {
                let condition = operand(1);
                self.take_branch(interp.bytecode.pc(), condition);
            }
            Opcode::EQ | Opcode::LT | Opcode::GT | Opcode::SLT | Opcode::SGT | Opcode::SUB | Opcode::XOR => {
                if let (Some(left), Some(right)) = (operand(0), operand(1)) {
                    self.compare(left, right);
                }
            }
            Opcode::CALLDATALOAD => {
                let offset = operand(0).and_then(|offset| u64::try_from(offset).ok());
                if let Some(offset) = offset.filter(|_| self.watch.offsets.len() < MAX_OFFSETS) {
                    self.watch.offsets.insert(offset);
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, _: &mut CTX, inputs: &mut CallInputs) -> Option<CallOutcome> {
        inputs.is_static |= self.access == StateAccess::ReadOnly;
        self.depth += 1;
        None
    }

    fn call_end(&mut self, _: &mut CTX, _: &CallInputs, outcome: &mut CallOutcome) {
        self.end_frame(outcome.result.result);
    }

    fn create(&mut self, _: &mut CTX, inputs: &mut CreateInputs) -> Option<CreateOutcome> {
        self.depth += 1;
        if let (CreatedAt::Salt, CreateScheme::Create2 { salt }) = (self.created_at, inputs.scheme()) {
            let place = [inputs.caller().as_slice(), &salt.to_be_bytes::<32>()].concat();
            let address = alloy_primitives::Address::from_word(B256::from(keccak256(place)));
            inputs.set_scheme(CreateScheme::Custom { address });
        }
        None
    }

    fn create_end(&mut self, _: &mut CTX, _: &CreateInputs, outcome: &mut CreateOutcome) {
        self.end_frame(outcome.result.result);
    }
}
