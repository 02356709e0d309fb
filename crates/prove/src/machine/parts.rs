//! Reads of memory that are written in one of several ways, as far as is known: each way by itself.
//!
//! What was written with a length that is not known (what a call returned, a copy of calldata) covers a read
//! whole, in part, or not at all. A whole word is one leaf then, and where a byte of two programs is compared each
//! way is a path of its own, on which the order of sums often says what is read.

use super::state::{Content, Memory, State, Write};
use super::{Machine, Step};
use crate::term::Term;

/// Ways in which a byte is read, at most.
const MAX_WAYS: usize = 64;

impl Machine {
    /// The word at a constant offset of a write of unknown length: a choice between what was written and what was
    /// there; `None` if the write is no such.
    pub(super) fn load_by_length(
        &mut self,
        state: &State,
        memory: &Memory,
        at: Term,
        offset: Term,
    ) -> Step<Option<Term>> {
        let Some(write) = memory else { return Ok(None) };
        let is_whole = matches!(write.content, Content::Word(_) | Content::Byte(_));
        if is_whole || self.terms.as_u64(offset).is_none() || self.terms.as_u64(write.length).is_some() {
            return Ok(None);
        }
        let end = self.terms.add_number(offset, 32);
        let is_short = self.terms.lt(write.length, end);
        let is_covered = self.terms.is_zero(is_short);
        let is_touched = self.terms.lt(offset, write.length);
        if !self.is_possible(state, is_covered)? {
            return Ok(None);
        }
        let covered = self.on_way(state, is_covered);
        let Some(whole) = self.word_of(&covered, write, offset)? else { return Ok(None) };
        let short = self.on_way(state, is_short);
        let partly = self.on_way(&short, is_touched);
        let mixed = match self.is_possible(&short, is_touched)? {
            true => Some(self.load_bytes(&partly, memory, at)?),
            false => None,
        };
        let is_apart = self.terms.is_zero(is_touched);
        let apart = self.on_way(&short, is_apart);
        let before = self.load_word(&apart, &write.before, at)?;
        let rest = mixed.map_or(before, |mixed| self.terms.ite(is_touched, mixed, before));
        Ok(Some(self.terms.ite(is_covered, whole, rest)))
    }

    /// A path with one more condition, 0 or 1.
    fn on_way(&mut self, state: &State, condition: Term) -> State {
        let mut state = state.clone();
        state.conditions.assume(&mut self.terms, condition);
        state
    }

    /// The byte at an address on each of the ways on which another write is the last to it; together these are
    /// all runs of the path.
    pub(super) fn byte_by_ways(
        &mut self,
        state: &State,
        memory: &Memory,
        at: Term,
    ) -> Step<Vec<(State, Term)>> {
        let (mut found, mut state, mut memory) = (Vec::new(), state.clone(), memory);
        while let Some(write) = memory {
            self.check_time()?;
            if found.len() >= MAX_WAYS {
                let byte = self.load_byte(&state, memory, at)?;
                found.push((state, byte));
                return Ok(found);
            }
            let overlap = self.overlap(write, at, 1);
            let is_elsewhere = self.terms.is_zero(overlap.is_whole);
            if !self.is_out_of_place(&state, overlap.exists) {
                let there = self.on_way(&state, overlap.is_whole);
                found.extend(self.written_by_ways(&there, write, overlap.offset)?);
                if self.is_out_of_place(&state, is_elsewhere) {
                    return Ok(found);
                }
                state.conditions.assume(&mut self.terms, is_elsewhere);
            }
            memory = &write.before;
        }
        found.push((state, self.terms.zero));
        Ok(found)
    }

    /// True if a condition holds on no run of the path, as the order of sums tells.
    fn is_out_of_place(&mut self, state: &State, condition: Term) -> bool {
        match self.decide(state, condition) {
            Some(known) => !known,
            None => {
                let condition = state.conditions.simplify(&mut self.terms, condition);
                self.is_refuted(state, condition)
            }
        }
    }

    /// The same of a byte that a write surely wrote.
    fn written_by_ways(&mut self, state: &State, write: &Write, offset: Term) -> Step<Vec<(State, Term)>> {
        match &write.content {
            Content::Memory(memory, from) => {
                let at = self.terms.add(*from, offset);
                self.byte_by_ways(state, memory, at)
            }
            _ => Ok(vec![(state.clone(), self.byte_of(state, write, offset)?)]),
        }
    }
}
