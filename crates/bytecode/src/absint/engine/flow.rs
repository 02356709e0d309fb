//! Stacks that enter blocks: stored, compared, joined.

use super::{CallPolicy, Engine, WORDS_AN_OPERATION, Work};
use crate::absint::store::{
    CallerId, Entered, ExitId, MAIN, NONE, ProcId, Relation, Stack, State, StateId, relation, widen,
};
use crate::absint::summary::Precision;
use crate::absint::value::Value;
use crate::blocks::{Block, BlockEnd, BlockId};

/// Copies of a block in one function where functions are given.
const MAX_COPIES: u32 = 64;
/// Stacks of one block in one procedure before it becomes a procedure.
const MAX_STATES: u32 = 2;
/// As [`MAX_STATES`], while sets of words are followed.
const MAX_STATES_OF_WORDS: u32 = 12;

impl Engine<'_> {
    /// Control reaches `block` with the stack `words`.
    pub(super) fn flow(&mut self, proc: ProcId, block: BlockId, base: u32, words: &[Value]) {
        self.reached[block as usize] = true;
        let Block { ends, needs, peak, .. } = *self.blocks.get(block);
        if ends == BlockEnd::Halt && proc == MAIN && words.len() < needs as usize {
            self.underflows.push(block);
        }
        if ends == BlockEnd::Halt && words.len() + peak as usize > cairn_evm::STACK_LIMIT {
            self.overflows.push(block);
        }
        let delta = words.len() as i32 - base as i32;
        let first = self.first_state.of(proc, block);
        let (mut id, mut count) = (first, 0);
        let mut has_other_height = false;
        while id != NONE {
            let state = self.states[id as usize];
            match self.absorb(state.stack, base, words) {
                Relation::Covered => return,
                Relation::Widens => return self.queue_state(id),
                Relation::Different => {}
            }
            count += 1;
            has_other_height |= state.low != delta;
            id = state.next;
        }
        if has_other_height && ends != BlockEnd::Halt {
            self.disagreeing.push(block);
        }
        if ends == BlockEnd::Halt && count >= 1 && self.merge_heights(first, block, delta) {
            return;
        }
        if self.is_full(count) {
            if self.join_state(first, base, words) {
                return;
            }
            match self.policy {
                CallPolicy::Discover => self.call(proc, block, base, words, Entered::Plainly),
                CallPolicy::Only(_) => self.gave_up = true,
            }
            return;
        }
        let stack = self.store(base, words);
        let id = self.states.len() as StateId;
        let (low, high) = (delta, delta);
        self.states.push(State { proc, block, stack, next: first, low, high, is_queued: true });
        self.first_state.set(proc, block, id);
        self.work.push(Work::State(id));
    }

    /// Nothing follows a block that halts: another stack tells its height and nothing else. Where
    /// contexts are wanted, heights are kept apart if the block looks at the stack.
    pub(super) fn merge_heights(&mut self, first: StateId, block: BlockId, delta: i32) -> bool {
        let keeps_apart = matches!(self.policy, CallPolicy::Only(_)) && self.blocks.get(block).needs > 0;
        let mut id = first;
        while id != NONE {
            let state = &mut self.states[id as usize];
            if !keeps_apart || state.low == delta {
                (state.low, state.high) = (state.low.min(delta), state.high.max(delta));
                return true;
            }
            id = state.next;
        }
        false
    }

    pub(super) fn is_full(&self, count: u32) -> bool {
        match (&self.policy, self.precision()) {
            (CallPolicy::Only(_), Precision::Labels) => count >= MAX_COPIES,
            (CallPolicy::Discover, Precision::Labels) => count >= MAX_STATES,
            (_, Precision::Words) => count >= MAX_STATES_OF_WORDS,
        }
    }

    pub(super) fn store(&mut self, base: u32, words: &[Value]) -> Stack {
        self.spend(words.len() as u64);
        let first = self.arena.len() as u32;
        self.arena.extend_from_slice(words);
        Stack { base, first, count: words.len() as u32 }
    }

    pub(crate) fn words_of(&self, stack: Stack) -> &[Value] {
        &self.arena[stack.first as usize..(stack.first + stack.count) as usize]
    }

    /// Compares a known stack with a new one; where forgetting makes it cover the new one, forgets.
    pub(super) fn absorb(&mut self, known: Stack, base: u32, words: &[Value]) -> Relation {
        self.spend(1);
        if known.base != base || known.count as usize != words.len() {
            return Relation::Different;
        }
        self.spend(words.len() as u64);
        let relation = relation(self.words_of(known), words);
        if relation == Relation::Widens {
            let range = known.first as usize..(known.first + known.count) as usize;
            widen(&mut self.arena[range], words);
        }
        relation
    }

    pub(super) fn queue_state(&mut self, id: StateId) {
        if !std::mem::replace(&mut self.states[id as usize].is_queued, true) {
            self.work.push(Work::State(id));
        }
    }

    pub(super) fn queue_caller(&mut self, id: CallerId) {
        if !std::mem::replace(&mut self.callers[id as usize].is_queued, true) {
            self.work.push(Work::Caller(id));
        }
    }

    pub(super) fn queue_exit(&mut self, id: ExitId) {
        if !std::mem::replace(&mut self.exits[id as usize].is_queued, true) {
            self.work.push(Work::Exit(id));
        }
    }

    /// Joins the new stack into a known one of the same shape where they differ in words that are
    /// no jump destinations.
    pub(super) fn join_state(&mut self, first: StateId, base: u32, words: &[Value]) -> bool {
        if self.precision() == Precision::Labels {
            return false;
        }
        let mut id = first;
        while id != NONE {
            let State { stack, next, .. } = self.states[id as usize];
            if self.is_joinable(stack, base, words) {
                self.join(stack, words);
                self.queue_state(id);
                return true;
            }
            id = next;
        }
        false
    }

    pub(super) fn is_joinable(&self, stack: Stack, base: u32, words: &[Value]) -> bool {
        stack.base == base && stack.count as usize == words.len() && !self.differ_in_labels(stack, words)
    }

    pub(super) fn join(&mut self, stack: Stack, words: &[Value]) {
        self.spend(words.len() as u64 * WORDS_AN_OPERATION);
        for (offset, word) in words.iter().enumerate() {
            let place = stack.first as usize + offset;
            self.arena[place] = self.pool.join(self.arena[place], *word);
        }
    }

    pub(super) fn differ_in_labels(&self, stack: Stack, words: &[Value]) -> bool {
        let pairs = self.words_of(stack).iter().zip(words);
        pairs.into_iter().any(|(known, new)| known != new && self.is_label(*known) && self.is_label(*new))
    }
}
