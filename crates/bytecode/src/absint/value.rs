//! Abstract stack words.
//!
//! A [`Value`] is one of: *unknown*; a small constant; *input i*, the word that stood i places
//! below the top when the current procedure began (perhaps masked to at least 16 low bits); a
//! member of an interned set of words; an expression over the entry stack of a block. Invariant:
//! expressions occur in block summaries only, and a set never holds exactly one small word.

use cairn_evm::{Opcode, Word};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

const TAG_SHIFT: u32 = 30;
const TAG_CONST: u32 = 1 << TAG_SHIFT;
const TAG_INPUT: u32 = 2 << TAG_SHIFT;
const TAG_POOL: u32 = 3 << TAG_SHIFT;
const FLAG: u32 = 1 << 29;
const PAYLOAD: u32 = FLAG - 1;

/// Constants below this are spelled in the value itself.
pub(crate) const SMALL_LIMIT: u32 = FLAG;

/// Most words of a set before it becomes unknown, where words of sets meet.
const MAX_SET: usize = 32;

/// The same for words of a table, and for what is computed from each of them alone.
const MAX_TABLE: usize = 1024;

/// Bits that the mask of a masked input leaves at least.
const MASK_BITS: usize = 16;

/// An abstract word; see the head of the file.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Value(u32);

/// A value taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Unknown,
    Const(u32),
    Input { index: u32, is_masked: bool },
    Set(u32),
    Expr(u32),
}

impl Value {
    pub(crate) const UNKNOWN: Value = Value(0);

    pub(crate) fn constant(small: u32) -> Value {
        debug_assert!(small < SMALL_LIMIT, "{small} is no small constant");
        Value(TAG_CONST | small)
    }

    pub(crate) fn input(index: u32) -> Value {
        Value(TAG_INPUT | (index & PAYLOAD))
    }

    pub(crate) fn set(id: u32) -> Value {
        Value(TAG_POOL | (id & PAYLOAD))
    }

    pub(crate) fn expr(id: u32) -> Value {
        Value(TAG_POOL | FLAG | (id & PAYLOAD))
    }

    /// Something unknown that is equal to itself: an expression of a number that no summary ever has.
    pub(crate) fn opaque(number: u32) -> Value {
        Value::expr(PAYLOAD - number)
    }

    pub(crate) fn is_unknown(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn kind(self) -> Kind {
        let payload = self.0 & PAYLOAD;
        let has_flag = self.0 & FLAG != 0;
        match self.0 >> TAG_SHIFT {
            0 => Kind::Unknown,
            1 => Kind::Const(self.0 & (FLAG | PAYLOAD)),
            2 => Kind::Input { index: payload, is_masked: has_flag },
            _ if has_flag => Kind::Expr(payload),
            _ => Kind::Set(payload),
        }
    }

    pub(crate) fn as_const(self) -> Option<u32> {
        match self.kind() {
            Kind::Const(small) => Some(small),
            Kind::Unknown | Kind::Input { .. } | Kind::Set(_) | Kind::Expr(_) => None,
        }
    }

    /// True for a constant and for a member of a set: there is a list of the words that it may be.
    fn has_words(self) -> bool {
        matches!(self.kind(), Kind::Const(_) | Kind::Set(_))
    }

    /// The value with its high bits cleared by a mask that leaves at least 16 bits.
    pub(crate) fn masked(self) -> Value {
        match self.kind() {
            Kind::Const(small) if small >> MASK_BITS == 0 => self,
            Kind::Input { .. } => Value(self.0 | FLAG),
            Kind::Const(_) | Kind::Unknown | Kind::Set(_) | Kind::Expr(_) => Value::UNKNOWN,
        }
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind() {
            Kind::Unknown => f.write_str("?"),
            Kind::Const(small) => write!(f, "{small:#x}"),
            Kind::Input { index, is_masked: false } => write!(f, "in{index}"),
            Kind::Input { index, is_masked: true } => write!(f, "in{index}&mask"),
            Kind::Set(id) => write!(f, "set{id}"),
            Kind::Expr(id) => write!(f, "expr{id}"),
        }
    }
}

/// True for words of at least 16 ones below zeros: masks that keep a code offset.
pub(crate) fn is_low_mask(word: Word) -> bool {
    word.bit_len() >= MASK_BITS && (word.wrapping_add(Word::from(1)) & word).is_zero()
}

/// The same for the bytes of a word, big endian.
pub(crate) fn is_low_mask_of(bytes: &[u8]) -> bool {
    let first = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
    let Some((high, rest)) = bytes[first..].split_first() else { return false };
    // A word of 16 ones has two bytes, and one of more has one that is not full before those.
    rest.len() >= MASK_BITS / 8 - usize::from(*high == u8::MAX)
        && high.wrapping_add(1) & high == 0
        && rest.iter().all(|byte| *byte == u8::MAX)
}

type WordSet = SmallVec<[Word; 4]>;

/// Interned sets of words, sorted.
#[derive(Default)]
pub(crate) struct SetPool {
    sets: Vec<WordSet>,
    /// Operations on pairs of words so far, for whoever counts them.
    pub(crate) operations: u64,
    ids: FxHashMap<WordSet, u32>,
    /// The set of zero and one, once it was asked for: most of what is computed.
    truth: Option<Value>,
}

impl SetPool {
    /// The value of a set of words; unknown when there are too many.
    pub(crate) fn value_of(&mut self, words: WordSet) -> Value {
        self.value_of_most(words, MAX_SET)
    }

    /// The value of what a table holds; unknown when there are too many words.
    pub(crate) fn value_of_table(&mut self, words: &[Word]) -> Value {
        self.value_of_most(SmallVec::from_slice(words), MAX_TABLE)
    }

    fn value_of_most(&mut self, mut words: WordSet, most: usize) -> Value {
        words.sort_unstable();
        words.dedup();
        if words.len() > most {
            return Value::UNKNOWN;
        }
        if let [word] = words[..]
            && word < Word::from(SMALL_LIMIT)
        {
            return Value::constant(word.to::<u32>());
        }
        if let Some(id) = self.ids.get(&words) {
            return Value::set(*id);
        }
        let id = self.sets.len() as u32;
        if id >= PAYLOAD {
            return Value::UNKNOWN;
        }
        self.sets.push(words.clone());
        self.ids.insert(words, id);
        Value::set(id)
    }

    pub(crate) fn word(&mut self, word: Word) -> Value {
        if word < Word::from(SMALL_LIMIT) {
            return Value::constant(word.to::<u32>());
        }
        self.value_of(SmallVec::from_slice(&[word]))
    }

    /// The words of a set.
    pub(crate) fn set(&self, value: Value) -> Option<&[Word]> {
        match value.kind() {
            Kind::Set(id) => Some(&self.sets[id as usize]),
            Kind::Const(_) | Kind::Unknown | Kind::Input { .. } | Kind::Expr(_) => None,
        }
    }

    /// The word that a value is, if it can be no other.
    fn only_word(&self, value: Value) -> Option<Word> {
        match (value.as_const(), self.set(value)) {
            (Some(small), _) => Some(Word::from(small)),
            (None, Some([word])) => Some(*word),
            (None, _) => None,
        }
    }

    /// Zero or one.
    fn truth(&mut self) -> Value {
        let known =
            self.truth.unwrap_or_else(|| self.value_of(SmallVec::from_slice(&[Word::ZERO, Word::from(1)])));
        self.truth = Some(known);
        known
    }

    /// The words that a value may be; `None` when there is no such list.
    pub(crate) fn words(&self, value: Value) -> Option<WordSet> {
        match value.kind() {
            Kind::Const(small) => Some(SmallVec::from_slice(&[Word::from(small)])),
            Kind::Set(id) => Some(self.sets[id as usize].clone()),
            Kind::Unknown | Kind::Input { .. } | Kind::Expr(_) => None,
        }
    }

    /// A value that is either.
    pub(crate) fn join(&mut self, a: Value, b: Value) -> Value {
        if a == b {
            return a;
        }
        match (self.words(a), self.words(b)) {
            (Some(mut words), Some(more)) => {
                words.extend(more);
                self.value_of(words)
            }
            _ => Value::UNKNOWN,
        }
    }

    /// The value of an operation on values.
    pub(crate) fn apply(&mut self, op: Opcode, a: Value, b: Option<Value>) -> Value {
        if !a.has_words() || b.is_some_and(|b| !b.has_words()) {
            return self.apply_partly(op, a, b);
        }
        if let Some(left) = self.only_word(a) {
            match b.map(|b| self.only_word(b)) {
                None => return self.folded(op, &[left]),
                Some(Some(right)) => return self.folded(op, &[left, right]),
                Some(None) => {}
            }
        }
        let (left, right) = (self.words(a), b.map(|b| self.words(b)));
        match (left, right) {
            (Some(left), None) => {
                self.operations += left.len() as u64;
                self.map(op, MAX_TABLE, left.iter().map(|word| SmallVec::from_slice(&[*word])))
            }
            (Some(left), Some(Some(right)))
                if left.len() * right.len() * weight(op) <= limits(&left, &right).pairs =>
            {
                self.operations += (left.len() * right.len()) as u64;
                let most = limits(&left, &right).results;
                let pairs = left.iter().flat_map(|l| right.iter().map(|r| SmallVec::from_slice(&[*l, *r])));
                self.map(op, most, pairs)
            }
            _ => self.apply_partly(op, a, b),
        }
    }

    fn folded(&mut self, op: Opcode, words: &[Word]) -> Value {
        self.operations += 1;
        cairn_evm::word::eval(op, words).map_or(Value::UNKNOWN, |word| self.word(word))
    }

    fn map(&mut self, op: Opcode, most: usize, operands: impl Iterator<Item = SmallVec<[Word; 2]>>) -> Value {
        let results: Option<WordSet> = operands.map(|args| cairn_evm::word::eval(op, &args)).collect();
        results.map_or(Value::UNKNOWN, |words| self.value_of_most(words, most))
    }

    /// Operations whose result is bounded though an operand is not known or is one of too many words.
    fn apply_partly(&mut self, op: Opcode, a: Value, b: Option<Value>) -> Value {
        match (op, b) {
            (Opcode::LT | Opcode::GT | Opcode::SLT | Opcode::SGT | Opcode::EQ | Opcode::ISZERO, _) => {
                self.truth()
            }
            (Opcode::AND, Some(b)) => match (a.has_words(), b.has_words()) {
                (true, false) => self.and_mask(b, a),
                (false, true) => self.and_mask(a, b),
                _ => Value::UNKNOWN,
            },
            (Opcode::MOD, Some(b)) => match self.only_word(b) {
                Some(modulus) if modulus <= Word::from(MAX_SET) && !modulus.is_zero() => {
                    self.value_of((0..modulus.to::<u64>()).map(Word::from).collect())
                }
                _ => Value::UNKNOWN,
            },
            _ => Value::UNKNOWN,
        }
    }

    fn and_mask(&mut self, other: Value, mask: Value) -> Value {
        let Some(mask) = self.only_word(mask) else { return Value::UNKNOWN };
        if is_low_mask(mask) {
            return other.masked();
        }
        if mask.count_ones() > 5 {
            return Value::UNKNOWN;
        }
        // Every subset of the mask's bits.
        let mut words = WordSet::new();
        let mut subset = mask;
        loop {
            words.push(subset);
            if subset.is_zero() {
                return self.value_of(words);
            }
            subset = (subset - Word::from(1)) & mask;
        }
    }
}

/// What an operation on two sets may take and give.
struct Limits {
    pairs: usize,
    results: usize,
}

fn limits(left: &[Word], right: &[Word]) -> Limits {
    match left.len().min(right.len()) {
        1 => Limits { pairs: MAX_TABLE, results: MAX_TABLE },
        _ => Limits { pairs: MAX_SET * 4, results: MAX_SET },
    }
}

/// How much longer an operation takes than others.
fn weight(op: Opcode) -> usize {
    if op == Opcode::EXP { 16 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_survive_packing() {
        for (value, kind) in [
            (Value::UNKNOWN, Kind::Unknown),
            (Value::constant(0), Kind::Const(0)),
            (Value::constant(SMALL_LIMIT - 1), Kind::Const(SMALL_LIMIT - 1)),
            (Value::input(7), Kind::Input { index: 7, is_masked: false }),
            (Value::input(7).masked(), Kind::Input { index: 7, is_masked: true }),
            (Value::set(3), Kind::Set(3)),
            (Value::expr(3), Kind::Expr(3)),
        ] {
            assert_eq!(value.kind(), kind);
        }
    }

    #[test]
    fn small_sets_multiply_and_masks_bound() {
        let mut pool = SetPool::default();
        let bit = pool.apply(Opcode::ISZERO, Value::UNKNOWN, None);
        let scaled = pool.apply(Opcode::MUL, bit, Some(Value::constant(9)));
        let target = pool.apply(Opcode::ADD, scaled, Some(Value::constant(22)));
        let words = pool.words(target).expect("the set is small");
        assert_eq!(words[..], [Word::from(22), Word::from(31)]);
        let low = pool.apply(Opcode::AND, Value::UNKNOWN, Some(Value::constant(6)));
        assert_eq!(pool.words(low).expect("four subsets").len(), 4);
        assert!(pool.apply(Opcode::ADD, Value::UNKNOWN, Some(low)).is_unknown());
    }

    #[test]
    fn a_mask_keeps_small_constants_only() {
        assert_eq!(Value::constant(0xffff).masked(), Value::constant(0xffff));
        assert!(Value::constant(0x10000).masked().is_unknown());
        assert!(is_low_mask(Word::from(0xffff_ffffu32)) && !is_low_mask(Word::from(0xffu32)));
        assert!(is_low_mask(Word::MAX));
        let mut bytes = vec![0u8; 2];
        for (high, rest) in [(0u8, 1), (1, 1), (0x7f, 1), (0xff, 1), (1, 2), (3, 2), (5, 2), (0xff, 31)] {
            bytes.truncate(0);
            bytes.push(high);
            bytes.resize(1 + rest, 0xff);
            for changed in [0xffu8, 0xfe, 0x7f] {
                bytes[rest] = changed;
                assert_eq!(is_low_mask_of(&bytes), is_low_mask(Word::from_be_slice(&bytes)), "{bytes:x?}");
            }
        }
    }
}
