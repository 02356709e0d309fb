//! What is known of a word: bits and bounds.
//!
//! [`Facts`] describe a set of words: those that have all `ones`, none of the `zeros`, and lie
//! between `lo` and `hi` (unsigned, inclusive). The set is never empty. The functions are
//! conservative: the result's set has every word that operands from the given sets can give.

mod backward;

pub use backward::transfer_back;

use cairn_evm::account::ACCOUNT_BITS;
use cairn_evm::{Opcode, Word, word};
use smallvec::SmallVec;

/// A set of words, by known bits and unsigned bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    zeros: Word,
    ones: Word,
    lo: Word,
    hi: Word,
}

impl Default for Facts {
    fn default() -> Self {
        Facts::ANY
    }
}

impl Facts {
    /// Nothing is known.
    pub const ANY: Facts = Facts { zeros: Word::ZERO, ones: Word::ZERO, lo: Word::ZERO, hi: Word::MAX };

    /// Exactly this word.
    #[inline]
    pub fn exactly(word: Word) -> Facts {
        Facts { zeros: !word, ones: word, lo: word, hi: word }
    }

    /// Words with at most `bits` significant bits.
    #[inline]
    pub fn low_bits(bits: usize) -> Facts {
        let mask = word::low_mask(bits);
        Facts { zeros: !mask, ones: Word::ZERO, lo: Word::ZERO, hi: mask }
    }

    /// Words from `lo` to `hi`; anything if `lo > hi`.
    pub fn between(lo: Word, hi: Word) -> Facts {
        Facts { zeros: Word::ZERO, ones: Word::ZERO, lo, hi }.tightened().unwrap_or(Facts::ANY)
    }

    /// The only word in the set.
    #[inline]
    pub fn as_word(&self) -> Option<Word> {
        (self.lo == self.hi).then_some(self.lo)
    }

    /// Least word, unsigned.
    #[inline]
    pub fn lo(&self) -> Word {
        self.lo
    }

    /// Greatest word, unsigned.
    #[inline]
    pub fn hi(&self) -> Word {
        self.hi
    }

    /// Bits that can be set.
    #[inline]
    pub fn possible_ones(&self) -> Word {
        !self.zeros
    }

    /// Bits that are set in every word.
    #[inline]
    pub fn ones(&self) -> Word {
        self.ones
    }

    /// True when this word is in the set.
    pub fn has(&self, word: Word) -> bool {
        (word & self.zeros).is_zero() && word & self.ones == self.ones && self.lo <= word && word <= self.hi
    }

    /// True when zero is not in the set.
    #[inline]
    pub fn is_nonzero(&self) -> bool {
        !self.lo.is_zero()
    }

    /// True when only 0 and 1 can be in the set.
    #[inline]
    pub fn is_bool(&self) -> bool {
        self.hi <= Word::from(1)
    }

    /// True when no word is negative as a two's complement number.
    pub fn is_nonnegative(&self) -> bool {
        !word::is_negative(self.hi)
    }

    /// Words in both sets; `None` if there is none as far as can be told.
    pub fn meet(&self, other: &Facts) -> Option<Facts> {
        match (*self, *other) {
            (facts, Facts::ANY) | (Facts::ANY, facts) => return Some(facts),
            _ => {}
        }
        let met = Facts {
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
        };
        met.tightened()
    }

    /// Words in one of the sets, and maybe more.
    pub fn join(&self, other: &Facts) -> Facts {
        Facts {
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    /// Bits from bounds and bounds from bits. `None` if the set is empty.
    fn tightened(mut self) -> Option<Facts> {
        self.lo = self.lo.max(self.ones);
        self.hi = self.hi.min(!self.zeros);
        if self.lo > self.hi || !(self.zeros & self.ones).is_zero() {
            return None;
        }
        // Bits above the first in which the bounds differ are those of all words between them.
        let (lo, hi) = (*self.lo.as_limbs(), *self.hi.as_limbs());
        let (mut common_ones, mut common_zeros) = ([0; 4], [0; 4]);
        for limb in (0..4).rev() {
            let n_common = (lo[limb] ^ hi[limb]).leading_zeros();
            let common = !u64::MAX.checked_shr(n_common).unwrap_or(0);
            common_ones[limb] = lo[limb] & common;
            common_zeros[limb] = !lo[limb] & common;
            if n_common < u64::BITS {
                break;
            }
        }
        self.ones |= Word::from_limbs(common_ones);
        self.zeros |= Word::from_limbs(common_zeros);
        (self.zeros & self.ones).is_zero().then_some(self)
    }

    fn from_bits(zeros: Word, ones: Word) -> Facts {
        Facts { zeros, ones, lo: Word::ZERO, hi: Word::MAX }.tightened().unwrap_or(Facts::ANY)
    }

    /// Words that are a multiple of 2^`low_zeros`.
    fn aligned(low_zeros: usize) -> Facts {
        match low_zeros {
            0 => Facts::ANY,
            _ => Facts::from_bits(word::low_mask(low_zeros), Word::ZERO),
        }
    }

    fn and_between(self, lo: Word, hi: Word) -> Facts {
        self.meet(&Facts::between(lo, hi)).unwrap_or(self)
    }
}

/// What is known of the result of `op` when this is known of its operands.
pub fn transfer(op: Opcode, args: &[&Facts]) -> Facts {
    if args.iter().all(|facts| facts.lo == facts.hi) {
        let words: SmallVec<[Word; 3]> = args.iter().map(|facts| facts.lo).collect();
        if let Some(result) = word::eval(op, &words) {
            return Facts::exactly(result);
        }
    }
    match *args {
        [] => nullary(op),
        [a] => unary(op, a),
        [a, b] => binary(op, a, b),
        [_, _, modulus] if op == Opcode::ADDMOD || op == Opcode::MULMOD => below(modulus),
        _ => Facts::ANY,
    }
}

/// Bounds that the protocol guarantees, for gas fits 64 bits: a byte of calldata or code costs more
/// than one gas, `n` words of memory, where all other data comes from, cost `n²/512`. Addresses fit
/// [`ACCOUNT_BITS`].
fn nullary(op: Opcode) -> Facts {
    match op {
        Opcode::CALLDATASIZE | Opcode::CODESIZE => Facts::low_bits(63),
        Opcode::RETURNDATASIZE | Opcode::MSIZE => Facts::low_bits(48),
        Opcode::ADDRESS | Opcode::CALLER | Opcode::ORIGIN | Opcode::COINBASE => {
            Facts::low_bits(usize::from(ACCOUNT_BITS))
        }
        Opcode::GAS => Facts::low_bits(64),
        _ => Facts::ANY,
    }
}

fn unary(op: Opcode, a: &Facts) -> Facts {
    match op {
        Opcode::ISZERO if a.is_nonzero() => Facts::exactly(Word::ZERO),
        Opcode::ISZERO => Facts::low_bits(1),
        Opcode::NOT => Facts { zeros: a.ones, ones: a.zeros, lo: !a.hi, hi: !a.lo },
        Opcode::CLZ => Facts::between(Word::from(a.hi.leading_zeros()), Word::from(a.lo.leading_zeros())),
        Opcode::EXTCODESIZE => Facts::low_bits(64),
        Opcode::CALLDATALOAD | Opcode::MLOAD | Opcode::SLOAD | Opcode::TLOAD => Facts::ANY,
        _ => Facts::ANY,
    }
}

fn binary(op: Opcode, a: &Facts, b: &Facts) -> Facts {
    match op {
        Opcode::ADD => add(a, b),
        Opcode::SUB => sub(a, b),
        Opcode::MUL => mul(a, b),
        Opcode::DIV => div(a, b),
        Opcode::MOD => {
            let bound = below(b);
            bound.and_between(Word::ZERO, a.hi)
        }
        Opcode::AND => and(a, b),
        Opcode::OR => {
            Facts::from_bits(a.zeros & b.zeros, a.ones | b.ones).and_between(a.lo.max(b.lo), Word::MAX)
        }
        Opcode::XOR => {
            Facts::from_bits((a.zeros & b.zeros) | (a.ones & b.ones), (a.zeros & b.ones) | (a.ones & b.zeros))
        }
        Opcode::LT => less(a, b),
        Opcode::GT => less(b, a),
        Opcode::SLT => signed_less(a, b),
        Opcode::SGT => signed_less(b, a),
        Opcode::EQ if a.meet(b).is_none() => Facts::exactly(Word::ZERO),
        Opcode::EQ => Facts::low_bits(1),
        Opcode::BYTE => Facts::low_bits(8),
        Opcode::SHL => shift(a, b, |bits, amount| bits << amount, word::low_mask),
        Opcode::SHR => shift_right(a, b),
        Opcode::SAR if b.is_nonnegative() => shift_right(a, b),
        Opcode::SIGNEXTEND => signextend(a, b),
        _ => Facts::ANY,
    }
}

/// A mask that clears low bits keeps the order of words.
fn and(a: &Facts, b: &Facts) -> Facts {
    let clears_low = |facts: &Facts| {
        facts.as_word().filter(|mask| (!*mask & (!*mask).wrapping_add(Word::from(1))).is_zero())
    };
    let bits = Facts::from_bits(a.zeros | b.zeros, a.ones & b.ones).and_between(Word::ZERO, a.hi.min(b.hi));
    match (clears_low(a), clears_low(b)) {
        (Some(mask), _) => bits.and_between(b.lo & mask, b.hi & mask),
        (None, Some(mask)) => bits.and_between(a.lo & mask, a.hi & mask),
        (None, None) => bits,
    }
}

fn less(a: &Facts, b: &Facts) -> Facts {
    match () {
        () if a.hi < b.lo => Facts::exactly(Word::from(1)),
        () if a.lo >= b.hi => Facts::exactly(Word::ZERO),
        () => Facts::low_bits(1),
    }
}

/// Results of a remainder: below the modulus, or 0.
fn below(modulus: &Facts) -> Facts {
    Facts::between(Word::ZERO, modulus.hi.saturating_sub(Word::from(1)))
}

fn add(a: &Facts, b: &Facts) -> Facts {
    let carries = |x: Word, y: Word| x.overflowing_add(y);
    let ((lo, lo_wraps), (hi, hi_wraps)) = (carries(a.lo, b.lo), carries(a.hi, b.hi));
    let low_zeros = a.possible_ones().trailing_zeros().min(b.possible_ones().trailing_zeros());
    let aligned = Facts::aligned(low_zeros);
    if lo_wraps == hi_wraps { aligned.and_between(lo, hi) } else { aligned }
}

fn sub(a: &Facts, b: &Facts) -> Facts {
    let ((lo, lo_wraps), (hi, hi_wraps)) = (a.lo.overflowing_sub(b.hi), a.hi.overflowing_sub(b.lo));
    let low_zeros = a.possible_ones().trailing_zeros().min(b.possible_ones().trailing_zeros());
    let aligned = Facts::aligned(low_zeros);
    if lo_wraps == hi_wraps { aligned.and_between(lo, hi) } else { aligned }
}

fn mul(a: &Facts, b: &Facts) -> Facts {
    let low_zeros = (a.possible_ones().trailing_zeros() + b.possible_ones().trailing_zeros()).min(256);
    let aligned = Facts::aligned(low_zeros);
    match (a.lo.checked_mul(b.lo), a.hi.checked_mul(b.hi)) {
        (Some(lo), Some(hi)) => aligned.and_between(lo, hi),
        _ => aligned,
    }
}

/// A quotient is at most the dividend, also when dividing by zero gives 0.
fn div(a: &Facts, b: &Facts) -> Facts {
    let hi = a.hi.checked_div(b.lo).unwrap_or(a.hi);
    let lo = if b.is_nonzero() { a.lo.checked_div(b.hi).unwrap_or_default() } else { Word::ZERO };
    Facts::between(lo, hi)
}

fn shift(
    amount: &Facts,
    b: &Facts,
    by: impl Fn(Word, usize) -> Word,
    vacated: impl Fn(usize) -> Word,
) -> Facts {
    match known_amount(amount) {
        Some(amount) => Facts::from_bits(by(b.zeros, amount) | vacated(amount), by(b.ones, amount)),
        None => Facts::ANY,
    }
}

fn shift_right(amount: &Facts, b: &Facts) -> Facts {
    match known_amount(amount) {
        Some(amount) => {
            let bits = shift(
                &Facts::exactly(Word::from(amount)),
                b,
                |bits, amount| bits >> amount,
                |amount| !(Word::MAX >> amount),
            );
            bits.and_between(b.lo >> amount, b.hi >> amount)
        }
        None => Facts::between(Word::ZERO, b.hi),
    }
}

fn known_amount(amount: &Facts) -> Option<usize> {
    amount.as_word().and_then(|amount| usize::try_from(amount).ok()).filter(|amount| *amount < 256)
}

/// Below 0 the unsigned order is the signed one within each sign.
fn signed_less(a: &Facts, b: &Facts) -> Facts {
    let negative = |facts: &Facts| word::is_negative(facts.lo);
    match (a.is_nonnegative(), negative(a), b.is_nonnegative(), negative(b)) {
        (true, _, true, _) | (_, true, _, true) => less(a, b),
        (true, _, _, true) => Facts::exactly(Word::ZERO),
        (_, true, true, _) => Facts::exactly(Word::from(1)),
        _ => Facts::low_bits(1),
    }
}

fn signextend(index: &Facts, b: &Facts) -> Facts {
    let Some(index) =
        index.as_word().and_then(|index| usize::try_from(index).ok()).filter(|index| *index < 31)
    else {
        return Facts::ANY;
    };
    let (sign, low) = (8 * index + 7, word::low_mask(8 * index + 8));
    let extended = |bits: Word| if bits.bit(sign) { bits | !low } else { bits & low };
    if b.zeros.bit(sign) || b.ones.bit(sign) {
        return Facts::from_bits(extended(b.zeros), extended(b.ones));
    }
    Facts::from_bits(b.zeros & low, b.ones & low)
}

#[cfg(test)]
mod tests;
