//! Integers that hold sums of words with small coefficients.

use cairn_evm::{Word, word};

/// `high · 2^256 + low`: the order of the two is that of the integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Integer {
    high: i128,
    low: Word,
}

impl Integer {
    pub(super) const ZERO: Integer = Integer { high: 0, low: Word::ZERO };

    /// The number that a word is.
    pub(super) fn of(word: Word) -> Self {
        Integer { high: 0, low: word }
    }

    /// The number that it is in two's complement.
    pub(super) fn of_signed(word: Word) -> Self {
        Integer { high: if word::is_negative(word) { -1 } else { 0 }, low: word }
    }

    /// So many times 2^256.
    pub(super) fn windows(count: i128) -> Self {
        Integer { high: count, low: Word::ZERO }
    }

    /// How often 2^256 fits into it, rounded down.
    pub(super) fn window(self) -> i128 {
        self.high
    }

    /// The word that it is.
    pub(super) fn as_word(self) -> Option<Word> {
        (self.high == 0).then_some(self.low)
    }

    pub(super) fn is_negative(self) -> bool {
        self.high < 0
    }

    /// `None` where it does not fit, here and below.
    pub(super) fn plus(self, other: Integer) -> Option<Self> {
        let (low, carry) = self.low.overflowing_add(other.low);
        Some(Integer { high: self.high.checked_add(other.high)?.checked_add(carry.into())?, low })
    }

    pub(super) fn negated(self) -> Option<Self> {
        let borrow = i128::from(!self.low.is_zero());
        Some(Integer { high: self.high.checked_neg()?.checked_sub(borrow)?, low: self.low.wrapping_neg() })
    }

    pub(super) fn times(self, factor: i64) -> Option<Self> {
        let size = Word::from(factor.unsigned_abs());
        let half = word::low_mask(128);
        let (lower, upper) = ((self.low & half) * size, (self.low >> 128) * size);
        let carried = i128::try_from(upper >> 128).ok()?;
        let high = self.high.checked_mul(i128::from(factor.unsigned_abs()))?.checked_add(carried)?;
        let product = Integer { high, low: upper << 128 }.plus(Integer::of(lower))?;
        if factor < 0 { product.negated() } else { Some(product) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_products() {
        let three = Integer::of(Word::from(3));
        let minus = three.negated().expect("fits");
        assert!(minus.is_negative() && minus < Integer::ZERO && Integer::ZERO < three);
        assert_eq!(minus, Integer::of_signed(Word::from(3).wrapping_neg()));
        assert_eq!(minus.plus(three), Some(Integer::ZERO));
        let greatest = Integer::of(Word::MAX);
        let expected = Integer::windows(5).plus(Integer::of(Word::from(5)).negated().expect("fits"));
        assert_eq!(greatest.times(5), expected);
        assert_eq!(greatest.times(-5), expected.and_then(Integer::negated));
        assert_eq!(minus.times(-4), Some(Integer::of(Word::from(12))));
        assert_eq!(Integer::windows(i128::MAX).times(2), None);
    }
}
