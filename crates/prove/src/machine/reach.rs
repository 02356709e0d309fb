//! Memory that can be touched: below 2^64, and frames of a source.
//!
//! At 2^64 and above there is no gas for that (A13), and the run halts. Of the reference such runs are not looked at: who
//! may leave out the access need not halt. Frames of a source stand far above all memory that programs address, so that
//! no other address is one of a frame; bytecode has none there, whatever the other program has.

use super::state::{End, EndKind, State};
use super::{Machine, Role, Step};
use crate::assume::Assumption;
use crate::term::Term;
use cairn_evm::Word;

/// First address of the frames of a source.
pub(crate) const FRAMES: Word = Word::from_limbs([0, 1 << 16, 0, 0]);

/// Memory from two to this power on is out of reach.
const REACH_BITS: usize = 64;

impl Machine {
    /// Touches a part of memory. Nothing is touched where nothing is long.
    pub(crate) fn touch(&mut self, state: &mut State, at: Term, length: Term) -> Step {
        if length == self.terms.zero {
            return Ok(());
        }
        if state.conditions.facts(&self.terms, length).hi().bit_len() > REACH_BITS {
            let is_near = self.is_in_reach(length);
            self.stay_in_reach(state, is_near)?;
        }
        let facts = state.conditions.facts(&self.terms, at);
        let end = FRAMES + Word::from(state.frames_end);
        if facts.hi().bit_len() <= REACH_BITS || (facts.lo() >= FRAMES && facts.hi() < end) {
            return Ok(());
        }
        let mut is_near = self.is_in_reach(at);
        let is_empty = self.terms.is_zero(length);
        if self.is_possible(state, is_empty)? {
            is_near = self.terms.or(is_near, is_empty);
        }
        if state.frames_end > 0 {
            let first = self.terms.word(FRAMES);
            let (in_frames, size) = (self.terms.sub(at, first), self.terms.number(state.frames_end));
            let is_frame = self.terms.lt(in_frames, size);
            is_near = self.terms.or(is_near, is_frame);
        }
        self.stay_in_reach(state, is_near)
    }

    fn is_in_reach(&mut self, term: Term) -> Term {
        let end = self.terms.word(Word::ONE << REACH_BITS);
        self.terms.lt(term, end)
    }

    /// The runs of a path that fail a condition, 0 or 1, are out of gas.
    fn stay_in_reach(&mut self, state: &mut State, is_near: Term) -> Step {
        self.must_assume(Assumption::FAR_MEMORY)?;
        match self.role {
            Role::Reference => state.conditions.assume(&mut self.terms, is_near),
            Role::Tested => {
                let is_far = self.terms.is_zero(is_near);
                if !self.halt_where(state, is_far)? {
                    // No run goes on.
                    self.ended.push(End { kind: EndKind::Halt, data: None, state: state.clone() });
                    state.conditions.assume(&mut self.terms, is_near);
                }
            }
        }
        Ok(())
    }
}
