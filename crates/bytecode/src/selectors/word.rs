//! Words of a dispatcher, as far as finding its cases needs.

use crate::optable::OpFacts;
use cairn_evm::Opcode;
use cairn_evm::Word as Number;
use smallvec::SmallVec;

/// Bits that stand below the selector in the first word of the calldata.
const BELOW_SELECTOR: u32 = 224;

/// Bits of a mask that are looked at: what chooses an entry of a table.
const MAX_MASK_BITS: u32 = 5;

/// A word, as far as the comparison with a selector needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Word {
    Other,
    /// A constant of at most four bytes.
    Const(u32),
    /// A constant that four bytes were pushed for.
    Four(u32),
    /// A constant of more than four bytes, pushed at this offset.
    Long(u32),
    /// Some of these bits: what chooses an entry of a table.
    Masked(u32),
    /// A row of a table in the code, or a part of one.
    Row(u64),
    /// An entry of a table and what lies above it.
    Shifted(Table),
    /// An entry of a table.
    Entry(Table, u32),
    /// A place that some bits choose.
    Place(Places),
    /// 2^224
    Unit,
    /// The first word of the calldata.
    Calldata,
    /// Zero when the call has no wei, else behind all calldata.
    BehindIfValue,
    /// The first word of the calldata when the call has no wei, else zero.
    CalldataUnlessValue,
    /// The selector.
    Selector,
    /// The wei of the call.
    Value,
    /// Not zero when the call has wei, or for another reason.
    ValueOrMore,
    /// Zero when the call has wei, else one.
    NoValue,
    /// Bytes of the calldata.
    Size,
    /// Not zero exactly when the calldata have fewer bytes than a row says.
    ShorterThan(u32),
    /// Not zero when the calldata have fewer bytes than a row says, or the call has wei.
    ShorterOrValue(u32),
    /// Not zero exactly when something equals the constant.
    Equal(u32),
    /// Not zero only when something equals the constant.
    EqualAndMore(u32),
    /// Not zero only when something equals the constant and the call has no wei.
    EqualUnpaid(u32),
    /// Not zero exactly when something equals one of the constants.
    OneOf(Few),
    /// Zero exactly when something equals one of the constants.
    NoneOf(Few),
    /// Zero only when something equals the constant.
    Different(u32),
    /// Zero only when something equals the constant and the call has no wei.
    DifferentOrValue(u32),
}

impl Word {
    /// True of what a comparison with a constant leaves.
    pub(super) fn is_comparison(self) -> bool {
        use Word::{Different, DifferentOrValue, Equal, EqualAndMore, EqualUnpaid, NoneOf, OneOf};
        let is_equal = matches!(self, Equal(_) | EqualAndMore(_) | EqualUnpaid(_) | OneOf(_));
        is_equal || matches!(self, NoneOf(_) | Different(_) | DifferentOrValue(_))
    }

    /// True of what jumps are decided by, other than the selector itself, and of what that is made of.
    pub(super) fn decides(self) -> bool {
        use Word::{Entry, Four, Long, Masked, Place, Row, Shifted};
        let chooses =
            matches!(self, Four(_) | Long(_) | Masked(_) | Row(_) | Shifted(_) | Entry(..) | Place(_));
        chooses || self.is_comparison()
    }

    /// True of constants.
    pub(super) fn is_constant(self) -> bool {
        matches!(self, Word::Const(_) | Word::Four(_) | Word::Long(_) | Word::Unit)
    }
}

/// Constants that lead to one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Few {
    words: [u32; MAX_FEW],
    count: u8,
}

/// Functions with the same body that are found: they share one comparison.
const MAX_FEW: usize = 4;

impl Few {
    pub(super) fn iter(self) -> impl Iterator<Item = u32> {
        self.words.into_iter().take(usize::from(self.count))
    }

    /// What a comparison stands for, if it stands for constants alone.
    fn of(word: Word) -> Option<Few> {
        match word {
            Word::Equal(word) => Some(Few { words: [word, 0, 0, 0], count: 1 }),
            Word::OneOf(few) => Some(few),
            _ => None,
        }
    }

    fn and(self, other: Few) -> Option<Few> {
        let mut both = self;
        for word in other.iter() {
            *both.words.get_mut(usize::from(both.count))? = word;
            both.count += 1;
        }
        Some(both)
    }
}

/// A constant pushed at an offset, shifted right by some of the bits of a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Table {
    pub(super) push: u32,
    pub(super) mask: u32,
}

impl Table {
    /// The words that an entry may be, those above `limit` cut off. `word` is the constant.
    pub(super) fn entries(self, word: Number, limit: u32) -> impl Iterator<Item = u32> {
        let entry = move |shift: u32| u32::try_from((word >> shift as usize) & Number::from(limit)).ok();
        subsets(self.mask).filter_map(entry)
    }
}

/// A number that some bits are multiplied by, and one that is added: where pieces of code of one length lie in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Places {
    mask: u32,
    factor: u32,
    base: u32,
}

impl Places {
    /// The words that it may be; those that are too large are left out.
    pub(super) fn all(self) -> impl Iterator<Item = u32> {
        let place = move |bits: u32| bits.checked_mul(self.factor)?.checked_add(self.base);
        subsets(self.mask).filter_map(place)
    }

    fn of(word: Word) -> Option<Places> {
        match word {
            Word::Masked(mask) => Some(Places { mask, factor: 1, base: 0 }),
            Word::Place(places) => Some(places),
            _ => None,
        }
    }

    /// A multiple of the word.
    fn times(word: Word, factor: u32) -> Option<Word> {
        let places = Places::of(word)?;
        let (factor, base) = (places.factor.checked_mul(factor)?, places.base.checked_mul(factor)?);
        Some(Word::Place(Places { factor, base, ..places }))
    }

    /// The word and so much.
    fn plus(word: Word, number: u32) -> Option<Word> {
        let places = Places::of(word)?;
        Some(Word::Place(Places { base: places.base.checked_add(number)?, ..places }))
    }
}

/// All that some of these bits can be.
fn subsets(mask: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(mask), move |bits| (*bits > 0).then(|| (bits - 1) & mask))
}

/// A stack of the walk. It is copied for each way, and few dispatchers keep more than some words.
pub(super) type Stack = SmallVec<[Word; 8]>;

/// What a push at an offset pushes.
pub(super) fn pushed(at: u32, data: &[u8], opcode: Opcode) -> Word {
    let is_whole = opcode.push_width().is_some_and(|width| usize::from(width) == data.len());
    let low = || data.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    match data {
        _ if !is_whole => Word::Other,
        [_, _, _, _] => Word::Four(low()),
        [] | [_] | [_, _] | [_, _, _] => Word::Const(low()),
        [1, zeros @ ..]
            if zeros.len() * 8 == BELOW_SELECTOR as usize && zeros.iter().all(|byte| *byte == 0) =>
        {
            Word::Unit
        }
        _ => Word::Long(at),
    }
}

/// Does what an opcode does to the stack.
pub(super) fn apply(op: Opcode, facts: OpFacts, stack: &mut Stack) {
    let top = |index: usize| stack.len().checked_sub(1 + index).map_or(Word::Other, |place| stack[place]);
    let result = result_of(op, top(0), top(1));
    stack.truncate(stack.len() - usize::from(facts.inputs));
    for _ in 0..facts.outputs {
        stack.push(result);
    }
}

fn result_of(op: Opcode, first: Word, second: Word) -> Word {
    use Word::{
        BehindIfValue, Calldata, CalldataUnlessValue, Const, Different, DifferentOrValue, Entry, Equal,
        EqualAndMore, EqualUnpaid, Four, Long, Masked, NoValue, NoneOf, OneOf, Other, Row, Selector, Shifted,
        ShorterOrValue, ShorterThan, Size, Unit, Value, ValueOrMore,
    };
    let compared = match (first, second) {
        (Selector, Const(word) | Four(word)) | (Const(word) | Four(word), Selector) => Some(word),
        (Selector, Row(row)) | (Row(row), Selector) => u32::try_from(row).ok(),
        (Other | Calldata | Masked(_), Four(word)) | (Four(word), Other | Calldata | Masked(_)) => Some(word),
        _ => None,
    };
    match (op, first, second) {
        (Opcode::CALLDATALOAD, Const(0), _) => Calldata,
        (Opcode::CALLDATALOAD, BehindIfValue, _) => CalldataUnlessValue,
        (Opcode::SUB, NoValue, Const(1)) | (Opcode::SUB, Const(0), Value) => BehindIfValue,
        (Opcode::SHR, Const(BELOW_SELECTOR), Calldata) | (Opcode::DIV, Calldata, Unit) => Selector,
        (Opcode::AND, Four(u32::MAX), Selector) | (Opcode::AND, Selector, Four(u32::MAX)) => Selector,
        (Opcode::SHR, Const(shift), Row(row)) => Row(row.checked_shr(shift).unwrap_or(0)),
        (Opcode::AND, Const(mask), Row(row)) | (Opcode::AND, Row(row), Const(mask)) => {
            Row(row & u64::from(mask))
        }
        (Opcode::MUL, Row(0), _) | (Opcode::MUL, _, Row(0)) => Row(0),
        (Opcode::MUL, Row(1), word) | (Opcode::MUL, word, Row(1)) => word,
        (Opcode::SHR, Masked(mask), Long(push)) => Shifted(Table { push, mask }),
        (Opcode::AND, Const(limit), Shifted(table)) | (Opcode::AND, Shifted(table), Const(limit)) => {
            Entry(table, limit)
        }
        (Opcode::AND, Const(mask), _) | (Opcode::AND, _, Const(mask))
            if mask.count_ones() <= MAX_MASK_BITS =>
        {
            Masked(mask)
        }
        (Opcode::MUL, word @ (Masked(_) | Word::Place(_)), Const(factor))
        | (Opcode::MUL, Const(factor), word @ (Masked(_) | Word::Place(_))) => {
            Places::times(word, factor).unwrap_or(Other)
        }
        (Opcode::SHL, Const(bits @ 0..32), word @ (Masked(_) | Word::Place(_))) => {
            Places::times(word, 1 << bits).unwrap_or(Other)
        }
        (Opcode::ADD, word @ (Masked(_) | Word::Place(_)), Const(number))
        | (Opcode::ADD, Const(number), word @ (Masked(_) | Word::Place(_))) => {
            Places::plus(word, number).unwrap_or(Other)
        }
        (Opcode::SHL, Const(BELOW_SELECTOR), Const(1)) | (Opcode::EXP, Const(2), Const(BELOW_SELECTOR)) => {
            Unit
        }
        (Opcode::EQ, ..) => compared.map_or(Other, Equal),
        (Opcode::SUB | Opcode::XOR, ..) => compared.map_or(Other, Different),
        (Opcode::ISZERO, Equal(word) | EqualAndMore(word), _) => Different(word),
        (Opcode::ISZERO, EqualUnpaid(word), _) => DifferentOrValue(word),
        (Opcode::ISZERO, DifferentOrValue(word), _) => EqualUnpaid(word),
        (Opcode::AND, Equal(word), _) | (Opcode::AND, _, Equal(word)) => EqualAndMore(word),
        (Opcode::ISZERO, Different(word), _) => Equal(word),
        (Opcode::OR, Equal(_) | OneOf(_), Equal(_) | OneOf(_)) => {
            let both = Few::of(first).zip(Few::of(second)).and_then(|(first, second)| first.and(second));
            both.map_or(Other, OneOf)
        }
        (Opcode::ISZERO, OneOf(few), _) => NoneOf(few),
        (Opcode::ISZERO, NoneOf(few), _) => OneOf(few),
        (Opcode::OR, Different(word), with) | (Opcode::OR, with, Different(word)) => match with {
            Value | ValueOrMore => DifferentOrValue(word),
            _ => Different(word),
        },
        (Opcode::OR, DifferentOrValue(word), _) | (Opcode::OR, _, DifferentOrValue(word)) => {
            DifferentOrValue(word)
        }
        (Opcode::CALLDATASIZE, ..) => Size,
        (Opcode::LT, Size, Row(row)) | (Opcode::GT, Row(row), Size) => {
            u32::try_from(row).map_or(Other, ShorterThan)
        }
        (Opcode::OR, ShorterThan(bytes), with) | (Opcode::OR, with, ShorterThan(bytes)) => match with {
            Row(0) => ShorterThan(bytes),
            Value => ShorterOrValue(bytes),
            _ => Other,
        },
        (Opcode::OR, Value | ValueOrMore, _) | (Opcode::OR, _, Value | ValueOrMore) => ValueOrMore,
        (Opcode::ISZERO, Selector, _) => Equal(0),
        (Opcode::CALLVALUE, ..) => Value,
        (Opcode::ISZERO, Value, _) => NoValue,
        (Opcode::ISZERO, NoValue, _) => Value,
        _ => Other,
    }
}
