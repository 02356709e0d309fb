//! What values of illegal types became: recorded once, looked up by the original value.
//!
//! A narrow integer became a word. Bits above its width may be *dirty*; a masked copy is made after
//! the definition when it is first needed, and used from then on. A wide integer became several
//! words, the least significant first, with no bit set above its width.

use crate::emit::low_mask;
use crate::known::{Hints, Known};
use cairn_evm::{Opcode, Word};
use cairn_ir::cursor::Cursor;
use cairn_ir::{Function, Inst, SecondaryMap, Type, Value, ValueDef};
use smallvec::SmallVec;

/// The words of a value, the least significant first.
pub(super) type Words = SmallVec<[Value; 4]>;

/// A narrow integer as a word.
#[derive(Clone, Copy)]
struct Narrow {
    bits: u16,
    word: Value,
    is_dirty: bool,
    masked: Option<Value>,
}

/// What one value became.
#[derive(Clone, Copy, Default)]
enum Rep {
    /// It stayed what it was.
    #[default]
    Same,
    Narrow(Narrow),
    /// A range in the pool, and the width.
    Wide(u32, u32, u16),
}

/// What values became.
#[derive(Default)]
pub(super) struct Reps {
    reps: SecondaryMap<Value, Rep>,
    masks: SecondaryMap<Inst, bool>,
    hints: Hints,
    pool: Vec<Value>,
}

impl Reps {
    /// Records that an integer of `bits` bits became `word`, of which only the lowest `most_bits` may
    /// be set; if they are more, the word is dirty.
    pub(super) fn set_narrow(&mut self, value: Value, bits: u16, word: Value, most_bits: u16) {
        let is_dirty = most_bits > bits;
        if !is_dirty && (self.hints[word] == 0 || self.hints[word] > bits) {
            self.hints[word] = bits;
        }
        self.reps[value] = Rep::Narrow(Narrow { bits, word, is_dirty, masked: None });
    }

    /// Records that a wide integer became `words`.
    pub(super) fn set_wide(&mut self, value: Value, bits: u16, words: &[Value]) {
        let top_bits = bits - (words.len() as u16 - 1) * 256;
        if let Some(top) = words.last().filter(|_| top_bits < 256) {
            self.hints[*top] = top_bits;
        }
        let start = self.pool.len() as u32;
        self.pool.extend_from_slice(words);
        self.reps[value] = Rep::Wide(start, self.pool.len() as u32, bits);
    }

    /// What is known of bits.
    pub(super) fn known<'a>(&'a self, func: &'a Function) -> Known<'a> {
        Known { dfg: &func.dfg, hints: Some(&self.hints) }
    }

    /// True for the operation that clears the dirty bits of a value. It is in its final form.
    pub(super) fn is_mask(&self, inst: Inst) -> bool {
        self.masks[inst]
    }

    /// True if the value stayed what it was.
    pub(super) fn is_same(&self, value: Value) -> bool {
        matches!(self.reps[value], Rep::Same)
    }

    /// The width that an integer was declared with.
    pub(super) fn bits(&self, func: &Function, value: Value) -> Option<u16> {
        match self.reps[value] {
            Rep::Same => func.dfg.ty(value).bits(),
            Rep::Narrow(narrow) => Some(narrow.bits),
            Rep::Wide(_, _, bits) => Some(bits),
        }
    }

    /// True for an integer of several words.
    pub(super) fn is_wide(&self, func: &Function, value: Value) -> bool {
        self.bits(func, value).is_some_and(|bits| bits > 256)
    }

    /// A word whose low bits, as many as the declared width, are those of the value.
    pub(super) fn dirty_word(&self, value: Value) -> Value {
        match self.reps[value] {
            Rep::Same => value,
            Rep::Narrow(narrow) => narrow.word,
            Rep::Wide(start, _, _) => self.pool[start as usize],
        }
    }

    /// The value as a word without dirty bits. For a wide integer, its lowest word.
    pub(super) fn word(&mut self, func: &mut Function, value: Value) -> Value {
        match self.reps[value] {
            Rep::Narrow(narrow) if narrow.is_dirty => self.masked(func, value, narrow),
            Rep::Same | Rep::Narrow(_) | Rep::Wide(..) => self.dirty_word(value),
        }
    }

    /// The value where a value of type `wanted` is asked for, which its declared type widens to.
    fn typed(&mut self, func: &mut Function, value: Value, wanted: Type) -> Value {
        let word = self.word(func, value);
        let Rep::Narrow(narrow) = self.reps[value] else { return word };
        if func.dfg.ty(word).widens_to(wanted) {
            return word;
        }
        let masked = self.masked(func, value, narrow);
        if !func.dfg.ty(masked).widens_to(wanted) {
            func.dfg.set_ty(masked, wanted);
        }
        masked
    }

    fn masked(&mut self, func: &mut Function, value: Value, narrow: Narrow) -> Value {
        if let Some(masked) = narrow.masked {
            return masked;
        }
        let mut cursor = match func.dfg.def(narrow.word) {
            ValueDef::Result(inst, _) => Cursor::after(func, inst),
            ValueDef::Param(block, _) => Cursor::at_start(func, block),
        };
        let mask = cursor.constant(low_mask(narrow.bits), Type::U256);
        let masked = cursor.evm(Opcode::AND, &[narrow.word, mask], legal_type(narrow.bits));
        if let Some(inst) = func.dfg.def_inst(masked) {
            self.masks[inst] = true;
        }
        self.reps[value] = Rep::Narrow(Narrow { masked: Some(masked), ..narrow });
        masked
    }

    /// The value as `n_words` words, extended with zeros or cut off.
    pub(super) fn words(&mut self, func: &mut Function, value: Value, n_words: usize) -> Words {
        match self.reps[value] {
            Rep::Wide(start, end, _) => {
                self.pool[start as usize..end as usize].iter().copied().take(n_words).collect()
            }
            Rep::Same | Rep::Narrow(_) => SmallVec::from_slice(&[self.word(func, value)]),
        }
    }

    /// The words that debuggers find a value in, the most significant first.
    pub(super) fn traced(&self, value: Value) -> Words {
        match self.reps[value] {
            Rep::Same => SmallVec::from_slice(&[value]),
            Rep::Narrow(narrow) => SmallVec::from_slice(&[narrow.masked.unwrap_or(narrow.word)]),
            Rep::Wide(start, end, _) => {
                self.pool[start as usize..end as usize].iter().rev().copied().collect()
            }
        }
    }

    /// What a value is passed as where one of type `wanted` is declared, perhaps a wider one: all
    /// words of a wide integer, else one value of a legal type. May need zeros before `inst`.
    pub(super) fn flatten(&mut self, func: &mut Function, inst: Inst, value: Value, wanted: Type) -> Words {
        let Type::Int(bits @ 257..) = wanted else {
            let wanted = wanted.bits().map_or(wanted, legal_type);
            return SmallVec::from_slice(&[self.typed(func, value, wanted)]);
        };
        let mut words = self.words(func, value, super::action::words(bits));
        while words.len() < super::action::words(bits) {
            words.push(Cursor::before(func, inst).constant(Word::ZERO, Type::U256));
        }
        words
    }
}

/// The type of a word that holds `bits` bits.
pub(super) fn legal_type(bits: u16) -> Type {
    match bits {
        1 => Type::Bool,
        8 | 32 | 160 => Type::Int(bits),
        _ => Type::U256,
    }
}
