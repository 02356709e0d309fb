//! Keccak-256 as an injective function whose values are far from each other and from small numbers (A11).
//!
//! A hash of constants is a constant; which ones were made so is kept, for they are as far from others.

use super::{Leaf, Node, Term, Terms, eval};
use cairn_evm::Word;

/// Offsets from a hash that are said to stay near it (A11).
const NEAR_BITS: usize = 64;

/// What is hashed: bytes, as words of which the last is filled up with zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hashed {
    length: u32,
    words: Vec<Term>,
}

/// A word that is a hash, or 0, and a small number more.
struct Near {
    hash: Option<Hashed>,
    offset: Word,
}

impl Terms {
    /// The hash of so many bytes.
    pub fn hash(&mut self, length: u32, words: &[Term]) -> Term {
        let constants: Option<Vec<Word>> = words.iter().map(|term| self.as_word(*term)).collect();
        let Some(constants) = constants else { return self.leaf(Leaf::Keccak(length), words) };
        let hash = eval::hash(&constants, length as usize);
        self.hashed.insert(hash, (length, words.to_vec()));
        self.word(hash)
    }

    /// Whether two words near hashes are equal: exactly if what is hashed is, and the offsets are. `None`
    /// if one is not near a hash, or both are small numbers.
    pub(super) fn eq_hashes(&mut self, a: Term, b: Term) -> Option<Term> {
        if !self.hashes_are_far {
            return None;
        }
        let (a, b) = (self.near_hash(a)?, self.near_hash(b)?);
        let (first, second) = match (a.hash, b.hash) {
            (Some(first), Some(second)) => (first, second),
            (None, None) => return None,
            _ => return Some(self.zero),
        };
        if a.offset != b.offset || first.length != second.length {
            return Some(self.zero);
        }
        let mut all = self.one;
        for (a, b) in first.words.into_iter().zip(second.words) {
            let equal = self.eq(a, b);
            all = self.and(all, equal);
        }
        Some(all)
    }

    fn near_hash(&self, term: Term) -> Option<Near> {
        let (parts, constant) = self.linear(term);
        let is_near = |offset: Word| offset.bit_len() <= NEAR_BITS;
        match parts[..] {
            [] if is_near(constant) => Some(Near { hash: None, offset: constant }),
            [] => {
                let (hash, (length, words)) = self.hashed.range(..=constant).next_back()?;
                let hashed = Hashed { length: *length, words: words.clone() };
                let offset = constant - *hash;
                is_near(offset).then_some(Near { hash: Some(hashed), offset })
            }
            [(part, coefficient)] if coefficient == Word::from(1) && is_near(constant) => {
                let Node::Leaf(Leaf::Keccak(length), words) = self.node(part) else { return None };
                let hashed = Hashed { length: *length, words: words.to_vec() };
                Some(Near { hash: Some(hashed), offset: constant })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_to_both_hashes_is_left_out() {
        let mut terms = Terms::default();
        let [one, two] = [1, 2].map(|number| terms.number(number));
        let [key, other, index] = [0, 1, 2].map(|number| terms.leaf(Leaf::Any(number, 256), &[]));
        let (slot, single, mapped) =
            (terms.hash(32, &[two]), terms.hash(32, &[key]), terms.hash(64, &[other, one]));
        let [of_slot, of_single, of_mapped] = [slot, single, mapped].map(|hash| terms.add(hash, index));
        let next = terms.add_number(of_single, 1);
        for (a, b) in [(of_slot, of_mapped), (of_mapped, of_single), (next, of_single), (next, of_mapped)] {
            assert_eq!([terms.eq(a, b), terms.eq(b, a)], [terms.zero; 2]);
        }
        let (equal, expected) = (terms.eq(of_slot, of_single), terms.eq(key, two));
        assert_eq!(equal, expected);
        let shifted = terms.add(slot, index);
        assert_ne!(terms.eq(shifted, mapped), terms.zero, "an index may be anything");
        terms.hashes_are_far = false;
        assert_ne!(terms.eq(of_slot, of_mapped), terms.zero);
    }

    #[test]
    fn hashes_of_constants_are_hashes() {
        let mut terms = Terms::default();
        let (one, two) = (terms.one, terms.number(2));
        let slot = terms.hash(32, &[two]);
        let element = terms.add_number(slot, 7);
        let key = terms.leaf(Leaf::Any(0, 160), &[]);
        let mapped = terms.hash(64, &[key, one]);
        assert_eq!(terms.eq(mapped, element), terms.zero);
        let single = terms.hash(32, &[key]);
        assert_eq!(terms.eq(single, element), terms.zero);
        let next = terms.add_number(single, 7);
        let (equal, expected) = (terms.eq(next, element), terms.eq(key, two));
        assert_eq!(equal, expected);
        assert!(terms.used_far_hashes);
        // Without the assumption nothing is known of them, nor of what nobody hashed.
        let other = terms.word(Word::MAX >> 1);
        assert_ne!(terms.eq(mapped, other), terms.zero);
        terms.hashes_are_far = false;
        assert_ne!(terms.eq(mapped, element), terms.zero);
    }
}
