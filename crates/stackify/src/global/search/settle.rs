//! What a state does when the operands of an instruction are on top: carries it out, and sends home
//! what it leaves.
//!
//! A call may leave more words than stack instructions reach: what lies on top goes first.

use super::state::{Exec, Search, State};
use crate::code::MAX_HEIGHT;
use crate::global::stack::shuffle::{Move, Prices, Unreachable};
use crate::global::stack::slot::{Slot, Stack};
use crate::global::stack::trail::Action;
use smallvec::SmallVec;

impl Search<'_> {
    /// Carries out an instruction whose operands are on top, but for one that is made late.
    pub(super) fn finish_exec(&mut self, mut state: State, exec: &Exec) -> Result<(), Unreachable> {
        if let Some(slot) = exec.late {
            self.make(&mut state, slot);
        }
        let base = state.stack.len() - exec.inputs;
        let highest = state.stack.len().max(base + exec.results.len());
        if highest > MAX_HEIGHT {
            let slot = state.stack.first().copied().unwrap_or(Slot::JUNK);
            return Err(Unreachable { slot, depth: highest as u16 });
        }
        state.stack.truncate(base);
        state.last = self.trail.push(state.last, Action::Exec(exec.inst, exec.opcode));
        if exec.is_last {
            self.next.push(state);
            return Ok(());
        }
        state.stack.extend_from_slice(&exec.results);
        if exec.is_stored && exec.saved.is_empty() {
            self.store_and_keep(&state, exec)?;
        }
        let mut kept = exec.results.len();
        if exec.is_stored || !exec.saved.is_empty() {
            let left = self.settle_top(&mut state, &exec.results);
            let (stored, on_stack): (Stack, Stack) =
                left.iter().copied().partition(|slot| self.is_in_memory(*slot));
            kept = on_stack.len();
            let base = state.stack.len() - left.len();
            let mut target: Stack = SmallVec::from_slice(&state.stack[..base]);
            target.extend_from_slice(&on_stack);
            target.extend_from_slice(&stored);
            self.shuffle_state(&mut state, &target)?;
            stored.iter().rev().for_each(|slot| self.store(&mut state, *slot));
        }
        self.restore(&mut state, kept, &exec.saved)?;
        self.accept(state);
        Ok(())
    }

    /// Makes a word that may be made anywhere.
    pub(super) fn make(&mut self, state: &mut State, slot: Slot) {
        let cost = self.cx.prices.make(slot).expect("invariant: the word can be made");
        state.stack.push(slot);
        state.cost += u64::from(cost);
        state.last = self.trail.push(state.last, Action::Move(Move::Make(slot)));
    }

    /// Stores results or drops them, from the top to the first one that stays; those left. There
    /// may be more than stack instructions reach.
    fn settle_top<'r>(&mut self, state: &mut State, results: &'r [Slot]) -> &'r [Slot] {
        let mut left = results;
        while let Some((top, below)) = left.split_last() {
            if self.is_in_memory(*top) {
                self.store(state, *top);
            } else if self.is_dead_top(state) {
                self.pop(state);
            } else {
                break;
            }
            left = below;
        }
        left
    }

    /// The only result is stored and also stays for its next use.
    fn store_and_keep(&mut self, state: &State, exec: &Exec) -> Result<(), Unreachable> {
        let is_needed =
            |slot: &Slot| slot.as_value().is_some_and(|value| self.future.wanted[value].uses_left > 0);
        if let [slot] = exec.results.as_slice()
            && is_needed(slot)
        {
            let mut state = state.clone();
            let mut target = Stack::from_slice(&state.stack);
            target.push(*slot);
            self.shuffle_state(&mut state, &target)?;
            self.store(&mut state, *slot);
            self.next.push(state);
        }
        Ok(())
    }

    /// Stores what was saved around a call, below its results, back.
    fn restore(&mut self, state: &mut State, results: usize, saved: &[Slot]) -> Result<(), Unreachable> {
        for slot in saved.iter().rev() {
            let at = (state.stack.len() - 1).checked_sub(results).filter(|at| state.stack[*at] == *slot);
            let Some(at) = at.filter(|_| results <= usize::from(self.cx.prices.reach.swap)) else {
                return Err(Unreachable { slot: *slot, depth: results as u16 + 1 });
            };
            if results > 0 {
                let top = state.stack.len() - 1;
                state.stack.swap(at, top);
                state.cost += u64::from(self.cx.prices.swap());
                state.last = self.trail.push(state.last, Action::Move(Move::Swap(results as u16)));
            }
            self.store(state, *slot);
        }
        Ok(())
    }
}
