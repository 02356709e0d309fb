//! What branches that were taken say about the order of values.

use crate::truth::Truth;
use cairn_analysis::{Cfg, Dominators};
use cairn_evm::{Opcode, Word, word};
use cairn_ir::{Block, Function, Payload, SecondaryMap, Value};
use cairn_ir::{Inst, Op};

/// How deep a condition is looked into.
const DEPTH: u32 = 8;

/// What a value is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Not less than this value.
    AtLeast(Value),
    /// Not greater than this value.
    AtMost(Value),
    /// Less than this value.
    Below(Value),
    /// Not greater than this word.
    AtMostWord(Word),
}

/// What holds in a block and those that it dominates.
#[derive(Clone, Copy, Debug)]
struct Guard {
    block: Block,
    bound: Bound,
}

/// What branches of one function say of its values.
#[derive(Debug)]
pub(crate) struct Guards {
    dominators: Dominators,
    of_value: SecondaryMap<Value, Vec<Guard>>,
}

impl Guards {
    /// Looks at each branch that is the only way to a block.
    pub(crate) fn compute(func: &Function, cfg: &Cfg) -> Guards {
        let mut guards = Guards { dominators: Dominators::compute(cfg), of_value: SecondaryMap::new() };
        for block in cfg.rpo() {
            let Some(inst) = func.terminator(*block) else {
                continue;
            };
            let Payload::Branch(calls) = func.dfg.inst(inst).payload else {
                continue;
            };
            for (index, call) in calls.iter().enumerate() {
                if cfg.preds(call.block) == [*block] {
                    guards.assume(func, call.block, func.dfg.args(inst)[0], Truth::behind(index), DEPTH);
                }
            }
        }
        guards
    }

    /// What is known to hold of a value in a block.
    pub(crate) fn of(&self, value: Value, block: Block) -> impl Iterator<Item = Bound> {
        let guards = self.of_value[value].iter();
        guards.filter(move |guard| self.dominators.dominates(guard.block, block)).map(|guard| guard.bound)
    }

    /// Values that a value is compared with, anywhere.
    pub(crate) fn compared_with(&self, value: Value) -> impl Iterator<Item = Value> {
        self.of_value[value].iter().filter_map(|guard| match guard.bound {
            Bound::AtLeast(other) | Bound::AtMost(other) | Bound::Below(other) => Some(other),
            Bound::AtMostWord(_) => None,
        })
    }

    /// The condition holds in the block, or fails.
    fn assume(&mut self, func: &Function, block: Block, condition: Value, truth: Truth, depth: u32) {
        let Some(inst) = func.dfg.def_inst(condition).filter(|_| depth > 0) else {
            return;
        };
        let Op::Evm(opcode) = func.dfg.op(inst) else {
            return;
        };
        let args = func.dfg.args(inst);
        match (opcode, truth) {
            (Opcode::ISZERO, _) => self.assume(func, block, args[0], !truth, depth - 1),
            (Opcode::AND, Truth::Holds) | (Opcode::OR, Truth::Fails) => {
                self.assume(func, block, args[0], truth, depth - 1);
                self.assume(func, block, args[1], truth, depth - 1);
            }
            (Opcode::LT, Truth::Holds) => self.add_order(block, args[0], args[1], Bound::Below),
            (Opcode::GT, Truth::Holds) => self.add_order(block, args[1], args[0], Bound::Below),
            (Opcode::LT, Truth::Fails) => self.add_order(block, args[1], args[0], Bound::AtMost),
            (Opcode::GT, Truth::Fails) => self.add_order(block, args[0], args[1], Bound::AtMost),
            (Opcode::SHR, Truth::Fails) => self.add_shifted_out(func, block, inst),
            _ => {}
        }
    }

    /// The first is below or at most the second.
    fn add_order(&mut self, block: Block, low: Value, high: Value, bound: fn(Value) -> Bound) {
        self.of_value[low].push(Guard { block, bound: bound(high) });
        self.of_value[high].push(Guard { block, bound: Bound::AtLeast(low) });
    }

    /// Nothing is left of the second operand behind a shift by the first.
    fn add_shifted_out(&mut self, func: &Function, block: Block, shift: Inst) {
        let args = func.dfg.args(shift);
        let amount = func.dfg.as_const(args[0]).and_then(|amount| usize::try_from(amount).ok());
        if let Some(amount) = amount.filter(|amount| *amount < 256) {
            let bound = Bound::AtMostWord(word::low_mask(amount));
            self.of_value[args[1]].push(Guard { block, bound });
        }
    }
}
