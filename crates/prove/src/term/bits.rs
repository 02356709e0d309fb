//! Bits and shifts.
//!
//! A part of a word is `and(shr(n, x), mask)`; where parts are put together again the sum undoes both
//! (see `linear`). Masks hold no bit that the word cannot have.

use super::{Node, Term, Terms};
use cairn_evm::{Opcode, Word, word};

impl Terms {
    /// Bits set in both.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        if let Some(mask) = self.as_word(a) {
            return self.and_word(b, mask);
        }
        if let Some(mask) = self.as_word(b) {
            return self.and_word(a, mask);
        }
        if a == b {
            return a;
        }
        self.raw_sorted(Opcode::AND, a, b)
    }

    /// Bits of a word that a mask has.
    pub fn and_word(&mut self, a: Term, mask: Word) -> Term {
        let facts = *self.facts(a);
        let mask = mask & facts.possible_ones();
        if mask.is_zero() {
            return self.zero;
        }
        if mask == facts.possible_ones() {
            return a;
        }
        if mask & facts.ones() == mask {
            return self.word(mask);
        }
        if let Node::Op(Opcode::AND, args) = self.node(a)
            && let Some(inner) = self.as_word(args[1])
        {
            let base = args[0];
            return self.and_word(base, mask & inner);
        }
        if let Some(addends) = self.union(a) {
            let mut result = self.zero;
            for addend in addends {
                let masked = self.and_word(addend, mask);
                result = self.add(result, masked);
            }
            return result;
        }
        if let Some((part, coefficient)) = self.as_product(a)
            && let Some(amount) = super::linear::exponent(coefficient)
        {
            let masked = self.and_word(part, mask >> amount);
            return self.scale(masked, coefficient);
        }
        if let Some(unextended) = self.below_sign(a, mask) {
            return self.and_word(unextended, mask);
        }
        if let Some(other) = self.without_high(a, mask).or_else(|| self.low_apart(a, mask)) {
            return self.and_word(other, mask);
        }
        let mask = self.word(mask);
        self.raw(Opcode::AND, &[a, mask])
    }

    /// A sum without what has no bit as low as the highest of the mask: parts, and masks of parts that only take away
    /// higher ones.
    fn without_high(&mut self, a: Term, mask: Word) -> Option<Term> {
        let Node::Sum(parts, constant) = self.node(a) else { return None };
        let constant = *constant;
        let bits = mask.bit_len();
        let low: Vec<(Term, Word)> = parts
            .iter()
            .filter(|part| self.trailing_zeros(**part) < bits)
            .map(|(part, coefficient)| {
                let (word, mask) = self.masked(*part);
                let seen = word::low_mask(bits.saturating_sub(coefficient.trailing_zeros()));
                (if seen & !mask == Word::ZERO { word } else { *part }, *coefficient)
            })
            .collect();
        // Of the numbers that are the same in these bits the one next to zero.
        let kept = constant & word::low_mask(bits);
        let kept = if bits < 256 && kept.bit(bits - 1) { kept | !word::low_mask(bits) } else { kept };
        (low[..] != parts[..] || kept != constant).then(|| self.sum_of(&low, kept))
    }

    /// A sum of which low bits are cut away, where parts without such bits stand beside what is cut: x + 32 y
    /// cut to a multiple of 32 is 32 y and x cut so.
    fn low_apart(&mut self, a: Term, mask: Word) -> Option<Term> {
        let Node::Sum(parts, constant) = self.node(a) else { return None };
        let (parts, constant) = (parts.to_vec(), *constant);
        let bits = mask.trailing_zeros();
        let (high, low): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|part| self.trailing_zeros(*part) >= bits);
        let cut = constant & word::low_mask(bits);
        let is_cut_already = low.is_empty() && cut.is_zero();
        if bits == 0 || is_cut_already || (high.is_empty() && cut == constant) {
            return None;
        }
        let high = self.sum_of(&high, constant - cut);
        let low = self.sum_of(&low, cut);
        let low = self.and_word(low, !word::low_mask(bits));
        Some(self.add(high, low))
    }

    /// Bits that a part of a sum surely does not have, from the lowest on.
    pub(super) fn trailing_zeros(&self, (part, coefficient): (Term, Word)) -> usize {
        self.facts(part).possible_ones().trailing_zeros() + coefficient.trailing_zeros()
    }

    fn sum_of(&mut self, parts: &[(Term, Word)], constant: Word) -> Term {
        let mut sum = self.word(constant);
        for (part, coefficient) in parts {
            let product = self.scale(*part, *coefficient);
            sum = self.add(sum, product);
        }
        sum
    }

    /// The word whose sign is extended, where the mask keeps nothing above the sign.
    fn below_sign(&self, a: Term, mask: Word) -> Option<Term> {
        let Node::Op(Opcode::SIGNEXTEND, args) = self.node(a) else { return None };
        let index = self.as_u64(args[0]).filter(|index| *index < 31)? as usize;
        (mask.bit_len() <= 8 * index + 8).then(|| args[1])
    }

    /// The word of which a term is the lowest bit that is set: what it has in common with its negative.
    pub(crate) fn as_lowest_bit(&self, a: Term) -> Option<Term> {
        let Node::Op(Opcode::AND, args) = self.node(a) else { return None };
        let ((parts, constant), (others, other)) = (self.linear(args[0]), self.linear(args[1]));
        let is_negated = constant == other.wrapping_neg()
            && parts.len() == others.len()
            && parts.iter().zip(&others).all(|(a, b)| a.0 == b.0 && a.1 == b.1.wrapping_neg());
        is_negated.then(|| args[0])
    }

    fn have_common_bits(&self, a: Term, b: Term) -> bool {
        !(self.facts(a).possible_ones() & self.facts(b).possible_ones()).is_zero()
    }

    /// Bits set in one or both.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return a;
        }
        if !self.have_common_bits(a, b) {
            return self.add(a, b);
        }
        if self.facts(a).is_bool() && self.facts(b).is_bool() {
            return self.raw_sorted(Opcode::OR, a, b);
        }
        for (constant, other) in [(a, b), (b, a)] {
            if let Some(word) = self.as_word(constant) {
                let rest = self.and_word(other, !word);
                return self.add(rest, constant);
            }
        }
        self.raw_sorted(Opcode::OR, a, b)
    }

    /// Bits set in exactly one.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.zero;
        }
        if !self.have_common_bits(a, b) {
            return self.add(a, b);
        }
        for (constant, other) in [(a, b), (b, a)] {
            if self.as_word(constant) == Some(Word::MAX) {
                return self.not(other);
            }
            if constant == self.one && self.facts(other).is_bool() {
                return self.is_zero(other);
            }
        }
        self.raw_sorted(Opcode::XOR, a, b)
    }

    /// A word moved left.
    pub fn shl(&mut self, by: Term, a: Term) -> Term {
        match self.as_word(by) {
            Some(by) if by >= Word::from(256) => self.zero,
            Some(by) => self.scale(a, Word::from(1) << by.to::<usize>()),
            None if a == self.zero => a,
            None => self.raw(Opcode::SHL, &[by, a]),
        }
    }

    /// A word moved right, filled with zeros.
    pub fn shr(&mut self, by: Term, a: Term) -> Term {
        match self.as_word(by) {
            Some(by) if by >= Word::from(256) => self.zero,
            Some(by) => self.shr_by(by.to(), a),
            None if a == self.zero => a,
            None => self.raw(Opcode::SHR, &[by, a]),
        }
    }

    /// The same by a number below 256.
    pub(super) fn shr_by(&mut self, by: usize, a: Term) -> Term {
        if by == 0 {
            return a;
        }
        if self.facts(a).possible_ones().bit_len() <= by {
            return self.zero;
        }
        match self.node(a) {
            Node::Op(Opcode::SHR, args) => {
                let (inner, base) = (args[0], args[1]);
                if let Some(inner) = self.as_u64(inner).filter(|inner| *inner < 256) {
                    let by = by + inner as usize;
                    return if by < 256 { self.shr_by(by, base) } else { self.zero };
                }
            }
            Node::Op(Opcode::AND, args) => {
                let (base, mask) = (args[0], args[1]);
                if let Some(mask) = self.as_word(mask) {
                    let moved = self.shr_by(by, base);
                    return self.and_word(moved, mask >> by);
                }
            }
            _ => {}
        }
        if let Some(addends) = self.union(a) {
            let mut result = self.zero;
            for addend in addends {
                let moved = self.shr_by(by, addend);
                result = self.add(result, moved);
            }
            return result;
        }
        if let Some((part, coefficient)) = self.as_product(a)
            && let Some(up) = super::linear::exponent(coefficient)
        {
            // What stays in the word when it is moved up.
            let kept = self.and_word(part, Word::MAX >> up);
            return match up >= by {
                true => self.scale(kept, Word::from(1) << (up - by)),
                false => self.shr_by(by - up, kept),
            };
        }
        if by == 255 {
            let zero = self.zero;
            return self.slt(a, zero);
        }
        let by = self.number(by as u64);
        self.raw(Opcode::SHR, &[by, a])
    }

    pub(super) fn sar(&mut self, by: Term, a: Term) -> Term {
        if self.facts(a).is_nonnegative() {
            return self.shr(by, a);
        }
        match self.as_u64(by) {
            Some(0) => return a,
            Some(amount) if amount < 256 && amount.is_multiple_of(8) => {
                if let Some((part, coefficient)) = self.as_product(a)
                    && coefficient == Word::from(1) << amount as usize
                {
                    let index = self.number((256 - amount) / 8 - 1);
                    return self.signextend(index, part);
                }
            }
            _ => {}
        }
        self.raw(Opcode::SAR, &[by, a])
    }

    /// The byte with an index, counted from the most significant; 0 where there is none.
    pub fn byte(&mut self, index: Term, a: Term) -> Term {
        match self.as_word(index) {
            Some(index) if index >= Word::from(32) => self.zero,
            Some(index) => self.byte_at(index.to(), a),
            None => self.raw(Opcode::BYTE, &[index, a]),
        }
    }

    /// The byte with this index below 32, counted from the most significant.
    pub fn byte_at(&mut self, index: usize, a: Term) -> Term {
        let moved = self.shr_by(8 * (31 - index), a);
        self.and_word(moved, word::low_mask(8))
    }

    pub(super) fn signextend(&mut self, index: Term, a: Term) -> Term {
        let Some(known) = self.as_word(index) else { return self.raw(Opcode::SIGNEXTEND, &[index, a]) };
        if known >= Word::from(31) {
            return a;
        }
        let sign = 8 * known.to::<usize>() + 7;
        if self.facts(a).possible_ones().bit_len() <= sign {
            return a;
        }
        let low = word::low_mask(sign + 1);
        let (base, mask) = self.masked(a);
        if mask & low == low {
            return match self.node(base) {
                Node::Op(Opcode::SIGNEXTEND, args) if args[0] == index => base,
                _ => self.raw(Opcode::SIGNEXTEND, &[index, base]),
            };
        }
        self.raw(Opcode::SIGNEXTEND, &[index, a])
    }
}
