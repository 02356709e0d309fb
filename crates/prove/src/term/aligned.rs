//! Bounds of words whose low bits are known: a multiple of 32 is less than 9 exactly if it is less than 32, so of the
//! 32 questions of how a word in memory lies to bytes that move by words only one is left.

use super::{Node, Term, Terms};
use cairn_evm::{Word, word};

/// Where a word may be below a bound.
pub(super) enum Aligned {
    /// Below this bound, which has the low bits of the word.
    Below(Word),
    /// It is only this word.
    Only(Word),
    /// Everywhere: no word with these low bits is at the bound or above.
    Everywhere,
}

impl Terms {
    /// What `a < bound` says, for a bound that is neither below all words of `a` nor above.
    pub(super) fn aligned(&self, a: Term, bound: Word) -> Aligned {
        let (bits, rest) = self.known_low_bits(a);
        let up = rest.wrapping_sub(bound) & word::low_mask(bits);
        let Some(bound) = bound.checked_add(up) else { return Aligned::Everywhere };
        let step = Word::from(1) << bits;
        let least = self.facts(a).lo();
        match bound.checked_sub(step) {
            Some(last) if last >= least && last - least < step => Aligned::Only(last),
            _ => Aligned::Below(bound),
        }
    }

    /// How many of the lowest bits are known, less than 256, and what they are.
    fn known_low_bits(&self, a: Term) -> (usize, Word) {
        let facts = self.facts(a);
        let bits = (facts.ones() ^ facts.possible_ones()).trailing_zeros().min(255);
        let of_sum = match self.node(a) {
            Node::Sum(parts, constant) => {
                let zeros = parts.iter().map(|part| self.trailing_zeros(*part)).min();
                zeros.map(|zeros| (zeros.min(255), *constant))
            }
            _ => None,
        };
        let (bits, word) = of_sum.filter(|(zeros, _)| *zeros > bits).unwrap_or((bits, facts.ones()));
        (bits, word & word::low_mask(bits))
    }
}

#[cfg(test)]
mod tests {
    use crate::term::{Leaf, Terms};
    use cairn_evm::Word;

    #[test]
    fn multiples_have_one_bound_between_two_of_them() {
        let mut terms = Terms::default();
        let leaf = terms.leaf(Leaf::Any(0, 64), &[]);
        let multiple = terms.scale(leaf, Word::from(32));
        let mut below = |number: u64| {
            let bound = terms.word(Word::from(number));
            terms.lt(multiple, bound)
        };
        assert_eq!(below(33), below(64));
        assert_ne!(below(64), below(65));
        let is_zero = below(7);
        assert_eq!(terms.is_zero(leaf), is_zero);
        // Only 2^256 − 32 and none above.
        let one = terms.word(Word::MAX - Word::from(30));
        let all = terms.leaf(Leaf::Any(1, 256), &[]);
        let multiple = terms.scale(all, Word::from(32));
        assert_eq!(terms.lt(multiple, one), terms.one);
    }
}
