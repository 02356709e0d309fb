//! Copies of words that are known become stores of them.
//!
//! ```text
//! evm.mstore %p, %word                    evm.mstore %p, %word
//! evm.mcopy %q, %p, 13              =>    evm.mstore %q, %word
//! evm.mstore (%q + 13), %zero             evm.mstore (%q + 13), %zero
//! ```
//!
//! That is how a text that is known comes into an output: its length is known, and the bytes behind it are made
//! zero. The words are stored whole: where the copy ends within the last one, the next thing that touches memory
//! must be a store to all bytes behind the copy that the word reaches.
//!
//! Memory grows no further than before: the store behind the copy reaches as far as the word, or the copy ends
//! with it. A text of more than [`MAX_WORDS`] stays a copy: the words would be there twice if both are read.

use super::facts::{Space, State, held};
use super::{Forward, Here};
use crate::copied::insts_behind;
use crate::memory::{Place, WORD, touches_memory};
use crate::span::Span;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Cursor, Inst, Op, Payload, Type, Value};
use smallvec::SmallVec;

/// Words that are stored instead of a copy.
const MAX_WORDS: u64 = 2;

impl Forward<'_> {
    /// Stores in the place of a copy where that is the same; what is known behind it is said to `state`.
    pub(super) fn visit_copy(&mut self, inst: Inst, state: &mut State) {
        let Some(words) = self.copied_words(inst, state) else {
            return self.forget_written(inst, state);
        };
        let to = self.func.dfg.args(inst)[0];
        for (word, offset) in words.into_iter().zip((0..).step_by(WORD as usize)) {
            let mut at = Cursor::before(self.func, inst);
            let address = match offset {
                0 => to,
                _ => {
                    let offset = at.constant(Word::from(offset), Type::U256);
                    at.evm(Opcode::ADD, &[to, offset], Type::U256)
                }
            };
            let store = at.insert(Op::Evm(Opcode::MSTORE), &[address, word], Payload::None, &[]);
            self.visit_store(store, Space::Memory, address, word, state);
        }
        self.func.layout.remove_inst(inst);
        self.changed = true;
    }

    /// All words that a copy copies, if they are known and may be stored whole.
    fn copied_words(&self, inst: Inst, state: &State) -> Option<SmallVec<[Value; MAX_WORDS as usize]>> {
        let [to, from, length] = self.func.dfg.args(inst) else {
            return None;
        };
        let length = self.func.dfg.as_const(*length).and_then(|length| u64::try_from(length).ok())?;
        let n_words = length.div_ceil(WORD);
        let is_fitting = (1..=MAX_WORDS).contains(&n_words) && self.func.dfg.ty(*to) == Type::U256;
        if !is_fitting || !self.is_overwritten(inst, length, n_words * WORD) {
            return None;
        }
        let from = self.place(*from);
        let word = |index| held(state, Space::Memory, from.plus(index * WORD));
        (0..n_words).map(word).collect()
    }

    /// True if the next thing behind a copy that touches memory stores a word that reaches from the end of the copy
    /// to `end`, in bytes from where the copy begins, or beyond.
    fn is_overwritten(&self, copy: Inst, length: u64, end: u64) -> bool {
        if length == end {
            return true;
        }
        let next = insts_behind(self.func, copy).find(|inst| touches_memory(self.func.dfg.op(*inst)));
        next.filter(|next| self.func.dfg.op(*next) == Op::Evm(Opcode::MSTORE))
            .and_then(|store| self.start(store)?.behind(self.start(copy)?, length))
            .is_some_and(|start| start + WORD >= end)
    }

    /// Where an instruction that may not have been visited writes.
    fn start(&self, inst: Inst) -> Option<Place> {
        let span = Span::of(self.func, &Here { forward: self, block: None }, self.func.dfg.args(inst)[0]);
        (span.lo == span.hi).then_some(span.first())
    }
}
