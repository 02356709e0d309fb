//! Carries an instruction out on each state, with its operands in either order where that may be.

use super::setup::NEAR_TOP;
use super::state::{Exec, Search, State};
use crate::context::callee_of;
use crate::global::stack::shuffle::Unreachable;
use crate::global::stack::slot::{Slot, Stack};
use cairn_ir::{Func, Inst, Op, Value};
use smallvec::SmallVec;

impl Search<'_> {
    pub(super) fn exec(&mut self, inst: Inst) -> Result<(), Unreachable> {
        let callee = callee_of(self.cx.func, inst);
        let returns = callee.is_some_and(|callee| self.cx.conventions[callee].returns);
        let mut operands = self.take_operands(inst);
        if returns {
            self.future.labels.retain(|label| *label != inst);
            operands.insert(0, Slot::label(inst));
        }
        let inputs = operands.len();
        let is_late = |slot: &Slot| self.cx.prices.homes.is_gas_of_call(self.cx.func, *slot);
        let late = operands.last().copied().filter(is_late);
        operands.truncate(inputs - usize::from(late.is_some()));
        let op = self.cx.func.dfg.op(inst);
        let results = self.results(inst, callee);
        let exec = Exec {
            inst,
            opcode: None,
            inputs,
            late,
            is_stored: results.iter().any(|slot| self.is_in_memory(*slot)),
            saved: self.future.saved_around(inst).collect(),
            results,
            is_last: (callee.is_some() && !returns) || op.is_terminator(),
        };
        let exchanged = match op {
            Op::Evm(opcode) if operands.len() == 2 => opcode.with_swapped_operands(),
            _ => None,
        };
        let exchanged = exchanged.map(|opcode| Exec { opcode: Some(opcode), ..exec.clone() });
        self.expand(|search, state| search.exec_on(state, &operands, &exec, exchanged.as_ref()))?;
        self.future.forget_saved(inst);
        let stored = exec.results.iter().filter(|slot| self.is_in_memory(**slot));
        let stored: SmallVec<[Value; 4]> = stored.filter_map(|slot| slot.as_value()).collect();
        self.future.available.extend(stored);
        self.select();
        Ok(())
    }

    /// The operands of an instruction, whose uses are over with it.
    fn take_operands(&mut self, inst: Inst) -> SmallVec<[Slot; 8]> {
        let operands = self.operands(inst);
        for slot in &operands {
            if !self.future.take_open(inst, *slot) {
                self.future.remove_use(*slot);
            }
        }
        operands
    }

    /// Carries an instruction out on a state; with its operands exchanged where that may be and the
    /// stack is not closer to the order that they have.
    fn exec_on(
        &mut self,
        state: &State,
        operands: &[Slot],
        exec: &Exec,
        exchanged: Option<&Exec>,
    ) -> Result<(), Unreachable> {
        let arrange = |search: &mut Self, operands: &[Slot], exec: &Exec| {
            search.arrange(state, operands, |search, state| search.finish_exec(state, exec))
        };
        let Some(exchanged) = exchanged else {
            return arrange(self, operands, exec);
        };
        let reversed = [operands[1], operands[0]];
        match self.is_begun(&state.stack, operands) {
            Some(true) => arrange(self, operands, exec),
            Some(false) => arrange(self, &reversed, exchanged),
            None => {
                let first = arrange(self, operands, exec);
                // Copies are as good in one order as in the other, where no dead word can be used up on the way.
                let words = state.stack.iter().rev().take(NEAR_TOP).chain(operands);
                if first.is_ok() && !words.into_iter().any(|slot| self.is_spare(&state.stack, *slot)) {
                    return first;
                }
                let second = arrange(self, &reversed, exchanged);
                first.or(second)
            }
        }
    }

    /// What an instruction leaves, bottom first.
    fn results(&self, inst: Inst, callee: Option<Func>) -> SmallVec<[Slot; 4]> {
        let values = self.cx.func.dfg.results(inst);
        match callee {
            Some(callee) => {
                let order = &self.cx.conventions[callee].results;
                order.iter().map(|index| Slot::value(values[*index as usize])).collect()
            }
            None => values.iter().map(|value| Slot::value(*value)).collect(),
        }
    }

    /// For two operands that may change places: whether the stack is closer to their order than to
    /// the other one. `None` if none that may be consumed is on top.
    fn is_begun(&self, stack: &Stack, operands: &[Slot]) -> Option<bool> {
        let (top, rest) = stack.split_last()?;
        let (deep, high) = (operands[0], operands[1]);
        if ![deep, high].contains(top) || !self.is_spare(stack, *top) {
            return None;
        }
        let other = if *top == high { deep } else { high };
        let is_whole = rest.last() == Some(&other) && self.is_spare(stack, other);
        Some((*top == high) == is_whole)
    }
}
