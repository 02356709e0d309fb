//! Comparisons of sums that do not wrap: as integers, what both sides have in common does not matter, and a product
//! is compared by its factor.
//!
//! So a loop that moves an address to its end and one that counts to the same number of rounds have one condition.

use super::linear::Parts;
use super::{Term, Terms};
use cairn_evm::{Word, word};

impl Terms {
    /// `a < b` without what both have in common, where there is something and neither wraps.
    pub(super) fn lt_without_common(&mut self, a: Term, b: Term) -> Option<Term> {
        let (left, right) = (self.linear(a), self.linear(b));
        let common = |part: &(Term, Word)| {
            let other = right.0.iter().find(|(term, _)| *term == part.0)?;
            Some((part.0, part.1.min(other.1)))
        };
        let shared: Parts = left.0.iter().filter_map(common).collect();
        let constant = left.1.min(right.1);
        let has_none = shared.is_empty() && constant.is_zero();
        if has_none || self.wraps(&left) || self.wraps(&right) {
            return None;
        }
        let mut rest = self.word(constant);
        for (part, coefficient) in shared {
            let product = self.scale(part, coefficient);
            rest = self.add(rest, product);
        }
        let (a, b) = (self.sub(a, rest), self.sub(b, rest));
        Some(self.lt(a, b))
    }

    /// `factor · x < bound`, where the product does not wrap: `x` is less than the quotient, rounded up.
    pub(super) fn lt_of_product(&mut self, a: Term, bound: Word) -> Option<Term> {
        let (part, factor) = self.as_product(a)?;
        self.facts(part).hi().checked_mul(factor)?;
        let rest = Word::from(u64::from(!(bound % factor).is_zero()));
        let bound = self.word(bound / factor + rest);
        Some(self.lt(part, bound))
    }

    /// `coefficient · x + constant = 0`, where one side of `factor · x = number` is as small as it looks.
    pub(super) fn eq_of_product(&mut self, part: Term, coefficient: Word, constant: Word) -> Option<Term> {
        let (factor, number) = match word::is_negative(coefficient) {
            true => (coefficient.wrapping_neg(), constant),
            false => (coefficient, constant.wrapping_neg()),
        };
        self.facts(part).hi().checked_mul(factor)?;
        if !(number % factor).is_zero() {
            return Some(self.zero);
        }
        let wanted = self.word(number / factor);
        Some(self.eq(part, wanted))
    }

    /// True if a sum may be 2^256 or more, coefficients taken for what they are as words.
    fn wraps(&self, (parts, constant): &(Parts, Word)) -> bool {
        let greatest = parts.iter().try_fold(*constant, |sum, (part, coefficient)| {
            sum.checked_add(self.facts(*part).hi().checked_mul(*coefficient)?)
        });
        greatest.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Leaf;
    use crate::term::eval::Evaluation;
    use crate::term::eval::testing::Numbered;

    /// Words of 64 bits, of which sums don't wrap, and of 256, of which they do.
    #[test]
    fn comparisons_stay_what_they_are() {
        let numbers: Vec<Word> = [0u64, 1, 2, 31, 32, 33, 64, 1 << 58, 1 << 59, u64::MAX - 31, u64::MAX]
            .into_iter()
            .map(Word::from)
            .chain([Word::MAX, Word::MAX - Word::from(32), Word::from(1) << 251])
            .collect();
        let factors = [Word::from(1), Word::from(2), Word::from(32), Word::from(33), Word::MAX];
        let pairs: Vec<(Word, Word)> =
            factors.iter().flat_map(|a| factors.iter().map(move |b| (*a, *b))).collect();
        for (bits, (factor, other)) in pairs.iter().flat_map(|pair| [(64, *pair), (256, *pair)]) {
            for constant in [0u64, 1, 32, 35].map(Word::from).into_iter().chain([Word::MAX]) {
                let mut terms = Terms::default();
                let [x, y] = [0, 1].map(|number| terms.leaf(Leaf::Any(number, bits), &[]));
                let (first, second) = (terms.scale(x, factor), terms.scale(x, other));
                let (first, second) = (terms.add(first, y), terms.add(second, y));
                let more = terms.word(constant);
                let [first, second] = [terms.add_number(first, 32), terms.add(second, more)];
                let product = terms.scale(x, factor);
                let compared = [
                    terms.lt(first, second),
                    terms.eq(first, second),
                    terms.lt(product, more),
                    terms.eq(product, more),
                ];
                for (a, b) in numbers.iter().flat_map(|a| numbers.iter().map(move |b| (*a, *b))) {
                    let given = Numbered([a, b]);
                    let mut evaluation = Evaluation::new(&terms, &given);
                    let [first, second, product] = [first, second, product].map(|term| evaluation.word(term));
                    let expected = [first < second, first == second, product < constant, product == constant];
                    let found = compared.map(|term| !evaluation.word(term).is_zero());
                    assert_eq!(found, expected, "{bits} {factor} {other} {constant} {a} {b}");
                }
            }
        }
    }

    #[test]
    fn an_address_before_its_end_is_a_count_below_its_number() {
        let mut terms = Terms::default();
        let [at, count] = [0, 1].map(|number| terms.leaf(Leaf::Any(number, 64), &[]));
        let length = terms.scale(count, Word::from(32));
        let end = terms.add(at, length);
        let one = terms.one;
        for bits in [64, 256] {
            let start = terms.leaf(Leaf::Any(2, bits), &[]);
            let (next, last) = (terms.add_number(start, 32), terms.add(end, start));
            let moved = terms.add(next, at);
            let (by_address, by_count) = (terms.lt(moved, last), terms.lt(one, count));
            assert_eq!(by_address == by_count, bits == 64);
        }
        let bound = terms.number(64);
        let two = terms.number(2);
        assert_eq!(terms.eq(length, bound), terms.eq(count, two));
    }
}
