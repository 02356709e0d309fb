//! Carries an instruction out on each state, with its operands in either order where that may be.

use super::state::{Exec, Search};
use crate::context::callee_of;
use crate::global::stack::shuffle::Unreachable;
use crate::global::stack::slot::{Slot, Stack};
use cairn_ir::{Func, Inst, Op, Value};
use smallvec::SmallVec;

impl Search<'_> {
    pub(super) fn exec(&mut self, inst: Inst) -> Result<(), Unreachable> {
        let mut operands = self.operands(inst);
        for slot in &operands {
            match self.future.open.iter().position(|entry| *entry == (inst, *slot)) {
                Some(at) => {
                    self.future.open.remove(at);
                }
                None => self.future.remove_use(*slot),
            }
        }
        let callee = callee_of(self.cx.func, inst);
        let has_label = callee.is_some_and(|callee| self.cx.conventions[callee].returns);
        let is_lost = callee.is_some() && !has_label;
        if has_label {
            self.future.labels.retain(|label| *label != inst);
            operands.insert(0, Slot::label(inst));
        }
        let swapped = match self.cx.func.dfg.op(inst) {
            Op::Evm(opcode) => opcode.with_swapped_operands().filter(|_| operands.len() == 2),
            _ => None,
        };
        let results = self.results(inst, callee);
        let exec = Exec {
            inst,
            opcode: None,
            inputs: operands.len(),
            is_stored: results.iter().any(|slot| self.is_in_memory(*slot)),
            results,
            saved: self
                .future
                .saved
                .iter()
                .filter(|(call, _)| *call == inst)
                .map(|(_, slot)| *slot)
                .collect(),
            is_last: is_lost || self.cx.func.dfg.op(inst).is_terminator(),
        };
        let exchanged = swapped.map(|opcode| Exec { opcode: Some(opcode), ..exec.clone() });
        self.expand(|search, state| {
            let arrange = |search: &mut Self, operands: &[Slot], exec: &Exec| {
                search.arrange(state, operands, |search, state| search.finish_exec(state, exec))
            };
            let Some(exchanged) = &exchanged else {
                return arrange(search, &operands, &exec);
            };
            let reversed = [operands[1], operands[0]];
            match search.is_begun(&state.stack, &operands) {
                Some(true) => arrange(search, &operands, &exec),
                Some(false) => arrange(search, &reversed, exchanged),
                None => {
                    let first = arrange(search, &operands, &exec);
                    let second = arrange(search, &reversed, exchanged);
                    first.or(second)
                }
            }
        })?;
        self.future.saved.retain(|(call, _)| *call != inst);
        let stored = exec.results.iter().filter(|slot| self.is_in_memory(**slot));
        let stored: SmallVec<[Value; 4]> = stored.filter_map(|slot| slot.as_value()).collect();
        self.future.available.extend(stored);
        self.select();
        Ok(())
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
