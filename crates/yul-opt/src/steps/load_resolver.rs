//! LoadResolver: uses what is known to be in storage and memory.
//!
//! ```text
//! sstore(k, v) let x := sload(k)   →   sstore(k, v) let x := v
//! mstore(0, 10) keccak256(0, 32)   →   the hash itself, where that is cheaper
//! ```
//! Memory is left alone where the program observes its size. Needs unique names and no declarations
//! in loop inits; works on split code, best in SSA form. Linear.

use cairn_evm::{Opcode, Word, gas, keccak256};
use cairn_yul::{Block, Builtin, Callee, Expression, YulName};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::{self, Place};
use crate::tools::data_flow_analyzer::{Flow, Hooks, analyze};
use crate::tools::expressions::Class;

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "LoadResolver",
    letter: Some('L'),
    summary: "use what is known of storage and memory",
    needs: Form::UNIQUE_NAMES.union(Form::NO_LOOP_INITS),
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let effects = cx.effects(code);
    let mut resolver = Resolver { runs: cx.runs, fork: cx.dialect.fork };
    analyze(code, &effects, cx.names.len(), &mut cx.scratch, &mut resolver);
}

struct Resolver {
    runs: Option<u64>,
    fork: cairn_evm::Fork,
}

impl Resolver {
    fn replacement(&self, flow: &Flow<'_>, expression: &Expression) -> Option<Expression> {
        let Expression::Call(call) = expression else {
            return None;
        };
        let Callee::Builtin(Builtin::Evm(opcode)) = call.callee else {
            return None;
        };
        let place = Place::of(expression);
        let known = |name: Option<YulName>| {
            name.filter(|name| flow.is_in_scope(*name)).map(|name| builder::variable(name, place))
        };
        match (opcode, call.args.as_slice()) {
            (Opcode::SLOAD, [Expression::Identifier(key)]) => known(flow.storage_value(key.name)),
            _ if flow.effects.has_msize => None,
            (Opcode::MLOAD, [Expression::Identifier(key)]) => known(flow.memory_value(key.name)),
            (Opcode::KECCAK256, [Expression::Identifier(start), Expression::Identifier(length)]) => {
                known(flow.keccak_value(start.name, length.name)).or_else(|| {
                    self.hash(flow, start.name, length.name).map(|hash| builder::decimal(hash, place))
                })
            }
            _ => None,
        }
    }

    /// The hash of at most one word that is known, if the literal costs no more than hashing.
    fn hash(&self, flow: &Flow<'_>, start: YulName, length: YulName) -> Option<Word> {
        let length = flow.constant_of(length).and_then(|length| usize::try_from(length).ok())?;
        if length > 32 {
            return None;
        }
        let content = flow.constant_of(flow.memory_value(start)?)?;
        if self.cost_of_literal() > self.cost_of_hashing() {
            return None;
        }
        let bytes: [u8; 32] = content.to_be_bytes();
        Some(Word::from_be_bytes(keccak256(&bytes[..length]).0))
    }

    /// Executions (one in creation code) and the price of a byte that is not zero.
    fn prices(&self) -> (u64, u64) {
        match self.runs {
            Some(runs) => (runs, gas::DEPOSIT_PER_BYTE),
            None => (1, gas::calldata_byte_gas(self.fork)),
        }
    }

    fn cost_of_literal(&self) -> u64 {
        let (runs, byte) = self.prices();
        runs.saturating_mul(3).saturating_add(33 * byte)
    }

    /// `keccak256`, and pushing start and length.
    fn cost_of_hashing(&self) -> u64 {
        let (runs, byte) = self.prices();
        let execution = gas::static_gas(Opcode::KECCAK256, self.fork) + gas::KECCAK_PER_WORD + 2 * 3;
        runs.saturating_mul(execution).saturating_add(5 * byte)
    }
}

impl Hooks for Resolver {
    const FOLLOWS_STATE: bool = true;

    fn keeps(&self, value: &Expression) -> bool {
        matches!(value, Expression::Literal(_))
    }

    fn expression(&mut self, flow: &mut Flow<'_>, expression: &mut Expression, class: Class) -> Class {
        let Some(replacement) = self.replacement(flow, expression) else {
            return class;
        };
        *expression = replacement;
        class
    }
}
