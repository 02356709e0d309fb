//! What is taken on trust of a program that visibly keeps the pointer to free memory (A17).
//!
//! That a program does so is the optimizer's finding: every load of the word at 64 that can run finds a pointer
//! if stores to computed addresses leave the word alone. So of the writes between a load and the pointer that it
//! finds, each whose address is no constant is one that is trusted to lie elsewhere: what could not be trusted was
//! seen not to be there. The pointer that is found is below 2^63.
//!
//! Both are conditions of the reference's path, as with memory that is out of reach (A13): a run that breaks them is
//! not looked at. The tested program is run under them and is trusted with nothing itself.

use super::memory::Relation;
use super::state::State;
use super::{Machine, Role, Step};
use crate::assume::Assumption;
use crate::term::Term;
use cairn_evm::Word;

/// Where the pointer to free memory is kept.
const ADDRESS: u64 = 64;

/// Bits of a pointer that was paid for.
const POINTER_BITS: usize = 63;

/// What is taken on trust of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Nothing.
    Nothing,
    /// That it does with the pointer to free memory what A17 says.
    Pointer,
}

impl Machine {
    fn is_trusted(&self, at: Term) -> bool {
        (self.trust, self.role) == (Trust::Pointer, Role::Reference) && self.terms.as_u64(at) == Some(ADDRESS)
    }

    /// Before the reference loads the pointer: what was written to computed addresses since it was stored is
    /// elsewhere.
    pub(super) fn trust_pointer(&mut self, state: &mut State, at: Term) -> Step {
        if !self.is_trusted(at) {
            return Ok(());
        }
        let mut memory = state.memory.clone();
        while let Some(write) = memory {
            if self.terms.as_u64(write.at).is_some() {
                if !matches!(self.relation(state, &write, at, 32)?, Relation::Apart) {
                    return Ok(());
                }
            } else {
                let overlap = self.overlap(&write, at, 32);
                let is_elsewhere = self.terms.is_zero(overlap.exists);
                self.trust(state, is_elsewhere);
            }
            memory = write.before.clone();
        }
        Ok(())
    }

    /// After the load: the pointer was paid for.
    pub(super) fn trust_bound(&mut self, state: &mut State, at: Term, word: Term) {
        if self.is_trusted(at) {
            let end = self.terms.word(Word::from(1) << POINTER_BITS);
            let is_paid = self.terms.lt(word, end);
            self.trust(state, is_paid);
        }
    }

    fn trust(&mut self, state: &mut State, condition: Term) {
        if self.decide(state, condition) != Some(true) {
            self.used.insert(Assumption::POINTER);
            state.conditions.assume(&mut self.terms, condition);
        }
    }
}
