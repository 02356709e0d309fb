//! Comparisons: 0 or 1.

use super::linear::Parts;
use super::{Leaf, Node, Term, Terms};
use cairn_evm::{Opcode, Word, word};

/// Offsets from a hash that are said to stay near it (A11).
const NEAR_BITS: usize = 64;

impl Terms {
    /// 1 if they are equal.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        if self.are_far_hashes(a, b) {
            self.used_far_hashes = true;
            return self.zero;
        }
        if let Some(pairs) = self.hashed_pairs(a, b) {
            self.used_far_hashes = true;
            let mut all = self.one;
            for (a, b) in pairs {
                let equal = self.eq(a, b);
                all = self.and(all, equal);
            }
            return all;
        }
        let difference = self.sub(a, b);
        if let Some(word) = self.as_word(difference) {
            return if word.is_zero() { self.one } else { self.zero };
        }
        if self.facts(a).meet(self.facts(b)).is_none() {
            return self.zero;
        }
        let (parts, constant) = self.linear(difference);
        if let [(part, coefficient)] = parts[..] {
            if coefficient == Word::from(1) {
                return self.eq_word(part, constant.wrapping_neg());
            }
            if coefficient == Word::MAX {
                return self.eq_word(part, constant);
            }
        }
        let difference = self.with_sign(difference, &parts);
        let zero = self.zero;
        if self.facts(difference).is_nonzero() {
            return zero;
        }
        self.raw(Opcode::EQ, &[difference, zero])
    }

    /// Of a difference and its negative the one that is printed first.
    fn with_sign(&mut self, difference: Term, parts: &Parts) -> Term {
        let is_negative = parts.first().is_some_and(|(_, coefficient)| word::is_negative(*coefficient));
        if is_negative { self.scale(difference, Word::MAX) } else { difference }
    }

    fn eq_word(&mut self, a: Term, constant: Word) -> Term {
        let wanted = self.word(constant);
        if self.facts(a).meet(self.facts(wanted)).is_none() {
            return self.zero;
        }
        if self.facts(a).is_bool() && constant == Word::from(1) {
            return a;
        }
        if constant.is_zero()
            && let Some(negated) = self.negated(a)
        {
            return negated;
        }
        if let &Node::Ite([condition, yes, no]) = self.node(a)
            && let (Some(yes), Some(no)) = (self.as_word(yes), self.as_word(no))
        {
            return match (yes == constant, no == constant) {
                (true, true) => self.one,
                (true, false) => condition,
                (false, true) => self.is_zero(condition),
                (false, false) => self.zero,
            };
        }
        self.raw(Opcode::EQ, &[a, wanted])
    }

    /// The condition that a term is the negation of.
    fn negated(&self, a: Term) -> Option<Term> {
        let Node::Op(Opcode::EQ, args) = self.node(a) else { return None };
        (args[1] == self.zero && self.facts(args[0]).is_bool()).then(|| args[0])
    }

    /// 1 if it is 0.
    pub fn is_zero(&mut self, a: Term) -> Term {
        let zero = self.zero;
        self.eq(a, zero)
    }

    /// 1 if it is not 0.
    pub fn is_nonzero(&mut self, a: Term) -> Term {
        if self.facts(a).is_bool() {
            return a;
        }
        let is_zero = self.is_zero(a);
        self.is_zero(is_zero)
    }

    /// 1 if the first is less.
    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        if a == b || b == self.zero {
            return self.zero;
        }
        if self.facts(a).hi() < self.facts(b).lo() {
            return self.one;
        }
        if self.facts(a).lo() >= self.facts(b).hi() {
            return self.zero;
        }
        match (self.as_word(a), self.as_word(b)) {
            (Some(word), None) => {
                // word < b exactly if not b < word + 1; the word is not the greatest.
                let next = self.word(word.wrapping_add(Word::from(1)));
                let reverse = self.lt(b, next);
                return self.is_zero(reverse);
            }
            (None, Some(bound)) => {
                if bound == self.facts(a).lo().wrapping_add(Word::from(1)) {
                    let least = self.word(self.facts(a).lo());
                    return self.eq(a, least);
                }
                if let Some(shorter) = self.lt_shifted(a, bound) {
                    return shorter;
                }
            }
            _ => {}
        }
        self.raw(Opcode::LT, &[a, b])
    }

    /// x + c < bound, where the sum does not wrap.
    fn lt_shifted(&mut self, a: Term, bound: Word) -> Option<Term> {
        let Node::Sum(parts, constant) = self.node(a) else { return None };
        let (parts, constant) = (Parts::from_slice(parts), *constant);
        if constant.is_zero() {
            return None;
        }
        let rest = self.without_constant(a, constant);
        debug_assert!(!parts.is_empty());
        self.facts(rest).hi().checked_add(constant)?;
        if bound <= constant {
            return Some(self.zero);
        }
        let bound = self.word(bound - constant);
        Some(self.lt(rest, bound))
    }

    fn without_constant(&mut self, a: Term, constant: Word) -> Term {
        let constant = self.word(constant);
        self.sub(a, constant)
    }

    /// 1 if the first is less as a two's complement number.
    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.zero;
        }
        if self.facts(a).is_nonnegative() && self.facts(b).is_nonnegative() {
            return self.lt(a, b);
        }
        match (self.as_word(a), self.as_word(b)) {
            (Some(word), None) if word != word::MAX_SIGNED => {
                let next = self.word(word.wrapping_add(Word::from(1)));
                let reverse = self.slt(b, next);
                return self.is_zero(reverse);
            }
            (None, Some(bound)) => {
                if let Some(shorter) = self.slt_shifted(a, bound) {
                    return shorter;
                }
            }
            _ => {}
        }
        self.raw(Opcode::SLT, &[a, b])
    }

    /// x + c < bound as signed numbers, for an x below 2^254 and a c and bound between −2^254 and 2^254.
    fn slt_shifted(&mut self, a: Term, bound: Word) -> Option<Term> {
        let Node::Sum(_, constant) = self.node(a) else { return None };
        let constant = *constant;
        let rest = self.without_constant(a, constant);
        let is_small = |word: Word| word.bit_len() <= 254 || word.wrapping_neg().bit_len() <= 254;
        if constant.is_zero() || self.facts(rest).hi().bit_len() > 254 {
            return None;
        }
        if !is_small(constant) || !is_small(bound) {
            return None;
        }
        let bound = self.word(bound.wrapping_sub(constant));
        Some(self.slt(rest, bound))
    }

    /// True if hashes or small numbers are different by A11.
    fn are_far_hashes(&mut self, a: Term, b: Term) -> bool {
        if !self.hashes_are_far {
            return false;
        }
        let (Some((a, a_offset)), Some((b, b_offset))) = (self.near_hash(a), self.near_hash(b)) else {
            return false;
        };
        match (a, b) {
            (None, None) => false,
            (Some(_), None) | (None, Some(_)) => true,
            (Some(a), Some(b)) if a == b => false,
            (Some(_), Some(_)) if a_offset != b_offset => true,
            (Some(a), Some(b)) => self.are_far(a, b),
        }
    }

    /// The words of two different hashes of equally many bytes, which are equal exactly if these are (A11).
    fn hashed_pairs(&self, a: Term, b: Term) -> Option<Vec<(Term, Term)>> {
        let ((Some(a), a_offset), (Some(b), b_offset)) = (self.near_hash(a)?, self.near_hash(b)?) else {
            return None;
        };
        let (Node::Leaf(a_leaf, a_words), Node::Leaf(b_leaf, b_words)) = (self.node(a), self.node(b)) else {
            return None;
        };
        let is_alike = self.hashes_are_far && a != b && a_offset == b_offset && a_leaf == b_leaf;
        is_alike.then(|| a_words.iter().copied().zip(b_words.iter().copied()).collect())
    }

    /// Two different hash terms: of different lengths, or of words of which two surely differ. (With
    /// different offsets they are apart whether the hashes are equal or not.)
    fn are_far(&mut self, a: Term, b: Term) -> bool {
        let (Node::Leaf(a_leaf, a_words), Node::Leaf(b_leaf, b_words)) = (self.node(a), self.node(b)) else {
            return false;
        };
        if a_leaf != b_leaf {
            return true;
        }
        let pairs: Vec<(Term, Term)> = a_words.iter().copied().zip(b_words.iter().copied()).collect();
        pairs.into_iter().any(|(a, b)| {
            let equal = self.eq(a, b);
            equal == self.zero
        })
    }

    /// A term as a hash of known length, or nothing, plus a small number.
    fn near_hash(&self, term: Term) -> Option<(Option<Term>, Word)> {
        let (parts, constant) = self.linear(term);
        if constant.bit_len() > NEAR_BITS {
            return None;
        }
        match parts[..] {
            [] => Some((None, constant)),
            [(part, coefficient)] if coefficient == Word::from(1) => {
                let is_hash = matches!(self.node(part), Node::Leaf(Leaf::Keccak(_), _));
                is_hash.then_some((Some(part), constant))
            }
            _ => None,
        }
    }
}
