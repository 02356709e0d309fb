//! Stack words while a function is scheduled: one `u32` each, so that stacks are cheap to copy,
//! compare and search.
//!
//! Values that are constants never appear as values: they are words of the function's constant
//! table, so equal constants are equal slots.

use crate::code::StackWord;
use cairn_evm::Word;
use cairn_ir::{Inst, Value};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt;

/// A stack word in compact form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Slot(u32);

/// The stack, bottom first.
pub(crate) type Stack = SmallVec<[Slot; 24]>;

const CONST_TAG: u32 = 1 << 31;
const LABEL_TAG: u32 = 1 << 30;

/// A set of words that forgets what tells some of them apart: a word that was not seen is not in it, of
/// others it may say too often that they are.
#[derive(Default)]
pub(crate) struct SlotSet([u64; 4]);

impl SlotSet {
    /// Adds a word; true if it was certainly not in the set.
    #[inline]
    pub(crate) fn insert(&mut self, slot: Slot) -> bool {
        let bit = 1 << (slot.0 % 64);
        let word = &mut self.0[(slot.0 / 64 % 4) as usize];
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

/// What a [`Slot`] stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlotKind {
    /// A value that is not a constant.
    Value(Value),
    /// An entry of the constant table.
    Const(u32),
    /// The return label of a call.
    Label(Inst),
    /// The return address of the function.
    ReturnAddress,
    /// Anything.
    Junk,
}

impl Slot {
    /// Anything; in a target layout it matches every word.
    pub(crate) const JUNK: Slot = Slot(u32::MAX);
    /// The function's own return address.
    pub(crate) const RETURN_ADDRESS: Slot = Slot(u32::MAX - 1);

    /// The slot of a value that is not a constant.
    pub(crate) fn value(value: Value) -> Slot {
        Slot(value.index() as u32)
    }

    /// The slot of an entry of the constant table.
    pub(crate) fn constant(index: u32) -> Slot {
        Slot(CONST_TAG | index)
    }

    /// The slot of the return label of a call.
    pub(crate) fn label(call: Inst) -> Slot {
        Slot(LABEL_TAG | call.index() as u32)
    }

    /// What the slot stands for.
    #[inline]
    pub(crate) fn kind(self) -> SlotKind {
        if let Some(value) = self.as_value() {
            return SlotKind::Value(value);
        }
        match self {
            Slot::JUNK => SlotKind::Junk,
            Slot::RETURN_ADDRESS => SlotKind::ReturnAddress,
            Slot(bits) if bits & CONST_TAG != 0 => SlotKind::Const(bits & !CONST_TAG),
            Slot(bits) => SlotKind::Label(Inst::from_u32(bits & !LABEL_TAG)),
        }
    }

    /// The value that the slot stands for, if it is one.
    #[inline]
    pub(crate) fn as_value(self) -> Option<Value> {
        (self.0 & (CONST_TAG | LABEL_TAG) == 0).then(|| Value::from_u32(self.0))
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            SlotKind::Value(value) => write!(f, "{value}"),
            SlotKind::Const(index) => write!(f, "c{index}"),
            SlotKind::Label(inst) => write!(f, "ret:{inst}"),
            SlotKind::ReturnAddress => f.write_str("RET"),
            SlotKind::Junk => f.write_str("_"),
        }
    }
}

/// The distinct constants of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConstTable {
    words: Vec<Word>,
    index: FxHashMap<Word, u32>,
}

impl ConstTable {
    /// The slot of a constant.
    pub(crate) fn slot(&mut self, word: Word) -> Slot {
        let words = &mut self.words;
        let index = *self.index.entry(word).or_insert_with(|| {
            words.push(word);
            words.len() as u32 - 1
        });
        Slot::constant(index)
    }

    /// The word of an entry.
    pub(crate) fn word(&self, index: u32) -> Word {
        self.words[index as usize]
    }

    /// The public form of a slot.
    pub(crate) fn stack_word(&self, slot: Slot) -> StackWord {
        match slot.kind() {
            SlotKind::Value(value) => StackWord::Value(value),
            SlotKind::Const(index) => StackWord::Const(self.word(index)),
            SlotKind::Label(inst) => StackWord::CallReturn(inst),
            SlotKind::ReturnAddress => StackWord::ReturnAddress,
            SlotKind::Junk => StackWord::Junk,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_words_never_takes_a_word_it_has_for_a_new_one() {
        let mut set = SlotSet::default();
        let words: Vec<Slot> = (0..100).map(|index| Slot::value(Value::from_u32(3 * index))).collect();
        assert!(set.insert(words[0]) && set.insert(words[1]), "two small numbers are told apart");
        words.iter().for_each(|word| {
            set.insert(*word);
        });
        assert!(words.iter().all(|word| !set.insert(*word)));
    }
}
