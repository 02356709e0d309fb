//! Words that a block copies from the code into memory and loads from there: tables of a dispatcher.
//!
//! Vyper's dispatchers compute a bucket from the selector, copy its few bytes from behind the code
//! into zeroed memory and jump to what they load; Huff's copy a whole table and load one entry. What
//! the block computes the place of an entry from is not known, but bounded: a remainder, a mask,
//! a shift leave so many *cases*. The block is run in all of its cases at once, every word a column
//! with one entry a case, so that words that belong together stay together: which entry of the second
//! table goes with which of the first.
//!
//! Contract: [`read_tables`] gives loads whose word is known in every case, and for each the words it
//! may be; a case that cannot happen may be among them, one that can is never missing. Words on the
//! stack at the entry are not known. Memory is zero at the entry of the code's first block where no
//! jump can go there, and not known at the entry of others. The number of cases, and the work, are
//! bounded; past the bounds nothing is found.

mod cases;
mod memory;
mod run;

pub(crate) use run::{Fuel, TableCopy, Tables, copies_of_code, read_tables};

use crate::optable::OpTable;
use cairn_evm::{Opcode, Word};

/// Code that copies from itself.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) code: &'a [u8],
    pub(crate) table: &'a OpTable,
    /// Offsets of pushes whose word is filled in later, sorted.
    pub(crate) placeholders: &'a [u32],
}

/// Bytes that a push has at most behind its opcode.
const MAX_PUSHED: u8 = 32;

impl Source<'_> {
    /// The word at an offset, if all of it is known and nothing of the code is filled in later.
    fn word(&self, at: usize) -> Option<Word> {
        let bytes = self.code.get(at..)?.first_chunk::<32>()?;
        self.placeholders.is_empty().then(|| Word::from_be_bytes(*bytes))
    }

    /// The byte at an offset, if it is known. What follows the code is not, nor what is filled in later.
    fn byte(&self, at: usize) -> Option<u8> {
        let byte = self.code.get(at)?;
        let before = self.placeholders.partition_point(|push| (*push as usize) < at);
        let push = before.checked_sub(1).map(|index| self.placeholders[index] as usize);
        push.is_none_or(|push| at - push > self.pushed_bytes(push)).then_some(*byte)
    }

    /// How many bytes the push at an offset has behind its opcode; the most, if there is none.
    fn pushed_bytes(&self, push: usize) -> usize {
        self.code.get(push).and_then(|byte| Opcode(*byte).push_width()).unwrap_or(MAX_PUSHED).into()
    }
}

#[cfg(test)]
mod tests;
