//! Brings operands to the top of states, drops what nobody needs, and stores what lives in memory.

use super::future::Needed;
use super::setup::{Needs, Room, Target, count, targets};
use super::state::{Search, State};
use crate::global::facts::homes::Home;
use crate::global::stack::shuffle::{Move, Moves, Prices, Unreachable, shuffle_from};
use crate::global::stack::slot::{Slot, Stack};
use crate::global::stack::trail::Action;
use cairn_evm::Cost;

/// Height up to which dead words may stay where nobody needs a clean stack.
pub(super) const LAZY_HEIGHT: usize = 48;

impl Search<'_> {
    /// Shuffles a state to a target.
    pub(super) fn shuffle_state(&mut self, state: &mut State, target: &[Slot]) -> Result<(), Unreachable> {
        self.shuffle_from(state, target, 0)
    }

    /// Shuffles a state to a target that is the same below `same`.
    fn shuffle_from(&mut self, state: &mut State, target: &[Slot], same: usize) -> Result<(), Unreachable> {
        let mut moves = Moves::new();
        let cost = shuffle_from(&mut state.stack, target, same, &self.cx.prices, &mut moves)?;
        state.cost += u64::from(cost);
        state.last = self.trail.extend(state.last, &moves);
        Ok(())
    }

    /// Brings operands to the top in every way worth pricing.
    pub(super) fn arrange(
        &mut self,
        state: &State,
        operands: &[Slot],
        mut then: impl FnMut(&mut Self, State) -> Result<(), Unreachable>,
    ) -> Result<(), Unreachable> {
        let needed = Needed { future: self.future, homes: self.cx.prices.homes };
        let room = if self.cx.is_crowded { Room::Short } else { Room::Enough };
        let mut result = Err(Unreachable { slot: Slot::JUNK, depth: 0 });
        let max_single_choices = self.cx.effort.max_single_choices;
        for Target { stack, same } in targets(&state.stack, operands, &needed, room, max_single_choices) {
            let mut next = state.clone();
            match self.shuffle_from(&mut next, &stack, same).and_then(|()| then(self, next)) {
                Ok(()) => result = Ok(()),
                Err(failure) => result = result.or(Err(failure)),
            }
        }
        result
    }

    /// Runs `step` on each state; the states it accepts become the next ones. Fails if no state
    /// can go on.
    pub(super) fn expand(
        &mut self,
        mut step: impl FnMut(&mut Self, &State) -> Result<(), Unreachable>,
    ) -> Result<(), Unreachable> {
        let states = std::mem::take(&mut self.states);
        let mut failure = None;
        for state in &states {
            if let Err(far) = step(self, state) {
                failure.get_or_insert(far);
            }
        }
        self.states = std::mem::replace(&mut self.next, states);
        self.next.clear();
        match failure {
            Some(failure) if self.states.is_empty() => Err(failure),
            _ => Ok(()),
        }
    }

    /// Takes a state whose stack may have dead words on top.
    pub(super) fn accept(&mut self, mut state: State) {
        if !self.cx.is_lazy || state.stack.len() > LAZY_HEIGHT {
            self.drop_dead_top(&mut state);
        }
        self.next.push(state);
    }

    pub(super) fn drop_dead_top(&mut self, state: &mut State) {
        while self.is_dead_top(state) {
            self.pop(state);
        }
    }

    /// True when there is a word on top that nobody needs.
    pub(super) fn is_dead_top(&self, state: &State) -> bool {
        state.stack.last().is_some_and(|top| self.is_spare(&state.stack, *top))
    }

    /// True when not all copies of a word are needed.
    pub(super) fn is_spare(&self, stack: &Stack, slot: Slot) -> bool {
        let needed = Needed { future: self.future, homes: self.cx.prices.homes };
        count(stack, slot) > needed.need(slot)
    }

    pub(super) fn is_in_memory(&self, slot: Slot) -> bool {
        slot.as_value().is_some_and(|value| matches!(self.cx.prices.homes.home(value), Home::Memory(_)))
    }

    /// Stores the top into its memory.
    pub(super) fn store(&mut self, state: &mut State, slot: Slot) {
        let value = slot.as_value().expect("invariant: only values live in memory");
        state.stack.pop();
        state.last = self.trail.push(state.last, Action::Store(value));
        state.cost += u64::from(self.cx.prices.of(Cost::STORE));
    }

    pub(super) fn pop(&mut self, state: &mut State) {
        state.stack.pop();
        state.last = self.trail.push(state.last, Action::Move(Move::Pop));
        state.cost += u64::from(self.cx.prices.pop());
    }
}
