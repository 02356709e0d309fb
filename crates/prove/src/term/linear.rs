//! Sums: linear forms with coefficients modulo 2^256.
//!
//! Parts of one word that are masked differently are one part where the masks complete each other, so
//! that a word put together of its bytes is that word.

use super::{Node, Term, Terms, transfer};
use cairn_evm::{Opcode, Word, word};
use cairn_rules::Facts;
use smallvec::SmallVec;

pub(crate) type Parts = SmallVec<[(Term, Word); 4]>;

/// Sums of more parts are not searched for parts that go together.
const MAX_PARTS: usize = 40;

impl Terms {
    /// A term as a sum.
    pub(crate) fn linear(&self, term: Term) -> (Parts, Word) {
        match self.node(term) {
            Node::Const(word) => (Parts::new(), *word),
            Node::Sum(parts, constant) => (parts.iter().copied().collect(), *constant),
            _ => (Parts::from_slice(&[(term, Word::from(1))]), Word::ZERO),
        }
    }

    /// The only part of a sum without a constant, with its coefficient.
    pub(super) fn as_product(&self, term: Term) -> Option<(Term, Word)> {
        match self.node(term) {
            Node::Sum(parts, constant) if parts.len() == 1 && constant.is_zero() => Some(parts[0]),
            _ => None,
        }
    }

    /// The sum modulo 2^256.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        let ((a_parts, a_constant), (b_parts, b_constant)) = (self.linear(a), self.linear(b));
        let constant = a_constant.wrapping_add(b_constant);
        if b_parts.is_empty() {
            return self.sum(a_parts, constant);
        }
        let mut merged = Parts::with_capacity(a_parts.len() + b_parts.len());
        let (mut left, mut right) = (a_parts.into_iter().peekable(), b_parts.into_iter().peekable());
        loop {
            let next = match (left.peek(), right.peek()) {
                (Some((a, _)), Some((b, _))) if a < b => left.next(),
                (Some((a, _)), Some((b, _))) if a > b => right.next(),
                (Some(_), Some(_)) => match (left.next(), right.next()) {
                    (Some((term, a)), Some((_, b))) => Some((term, a.wrapping_add(b))),
                    _ => None,
                },
                (Some(_), None) => left.next(),
                (None, _) => right.next(),
            };
            match next {
                Some(part) => merged.push(part),
                None => break,
            }
        }
        self.sum(merged, constant)
    }

    /// The difference modulo 2^256.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let negative = self.scale(b, Word::MAX);
        self.add(a, negative)
    }

    /// A number more.
    pub fn add_number(&mut self, a: Term, number: u64) -> Term {
        let number = self.number(number);
        self.add(a, number)
    }

    /// All bits changed: −1 − a.
    pub fn not(&mut self, a: Term) -> Term {
        let ones = self.word(Word::MAX);
        self.sub(ones, a)
    }

    /// The product with a constant modulo 2^256.
    pub fn scale(&mut self, a: Term, factor: Word) -> Term {
        let (parts, constant) = self.linear(a);
        let mut unchanged = Parts::new();
        let mut changed = Vec::new();
        for (part, coefficient) in parts {
            let coefficient = coefficient.wrapping_mul(factor);
            match self.unshifted(part, coefficient) {
                Some((base, mask, coefficient)) => changed.push((base, mask, coefficient)),
                None => unchanged.push((part, coefficient)),
            }
        }
        let mut result = self.sum(unchanged, constant.wrapping_mul(factor));
        for (base, mask, coefficient) in changed {
            let masked = self.and_word(base, mask);
            let (parts, constant) = self.linear(masked);
            let parts = parts.into_iter().map(|(part, own)| (part, own.wrapping_mul(coefficient))).collect();
            let scaled = self.sum(parts, constant.wrapping_mul(coefficient));
            result = self.add(result, scaled);
        }
        result
    }

    /// A part of a word, moved down and then up again: the word, the mask of the part, and how far it
    /// is still to move.
    fn unshifted(&self, part: Term, coefficient: Word) -> Option<(Term, Word, Word)> {
        let (shifted, mask) = self.masked(part);
        let Node::Op(Opcode::SHR, args) = self.node(shifted) else { return None };
        let amount = self.as_u64(args[0]).filter(|amount| (1..256).contains(amount))? as usize;
        let is_moved_back = !coefficient.is_zero() && coefficient.trailing_zeros() >= amount;
        // Only the bits that a word moved down can have.
        let mask = (mask & (Word::MAX >> amount)) << amount;
        is_moved_back.then(|| (args[1], mask, coefficient >> amount))
    }

    /// A term as a word and a mask on it.
    pub(super) fn masked(&self, term: Term) -> (Term, Word) {
        if let Node::Op(Opcode::AND, args) = self.node(term)
            && let Some(mask) = self.as_word(args[1])
        {
            return (args[0], mask);
        }
        (term, Word::MAX)
    }

    /// The part of a sum that is zero which the others make, and what they make: the youngest, so that
    /// it is in none of them.
    pub(crate) fn solved(&mut self, sum: Term) -> Option<(Term, Term)> {
        let (parts, _) = self.linear(sum);
        let (part, coefficient) = *parts.iter().max_by_key(|(part, _)| *part)?;
        let minus = Word::MAX;
        if parts.len() < 2 || (coefficient != Word::from(1) && coefficient != minus) {
            return None;
        }
        let own = self.scale(part, coefficient);
        let rest = self.sub(sum, own);
        let other = if coefficient == minus { rest } else { self.scale(rest, minus) };
        Some((part, other))
    }

    /// Normalizes a sum of sorted parts.
    fn sum(&mut self, mut parts: Parts, constant: Word) -> Term {
        parts.retain(|(_, coefficient)| !coefficient.is_zero());
        if parts.len() > 1
            && parts.len() <= MAX_PARTS
            && let Some((at, other, merged, coefficient)) = self.complement(&parts)
        {
            parts.remove(other);
            parts.remove(at);
            let rest = self.sum(parts, constant);
            let merged = self.scale(merged, coefficient);
            return self.add(rest, merged);
        }
        match parts[..] {
            [] => self.word(constant),
            [(part, coefficient)] if coefficient == Word::from(1) && constant.is_zero() => part,
            _ => {
                let node = Node::Sum(parts.as_slice().into(), constant);
                if let Some(term) = self.index.get(&node) {
                    return *term;
                }
                let facts = self.facts_of_sum(&parts, constant);
                self.make(node, facts)
            }
        }
    }

    /// Two parts that are one: their indices, the part, its coefficient.
    fn complement(&mut self, parts: &Parts) -> Option<(usize, usize, Term, Word)> {
        for at in 0..parts.len() {
            let (base, mask) = self.masked(parts[at].0);
            for other in at + 1..parts.len() {
                let (other_base, other_mask) = self.masked(parts[other].0);
                if base != other_base {
                    continue;
                }
                let (a, b) = (parts[at].1, parts[other].1);
                let merged = if a == b && (mask & other_mask).is_zero() {
                    Some((mask | other_mask, a))
                } else if a == b.wrapping_neg() && mask & other_mask == other_mask {
                    Some((mask & !other_mask, a))
                } else if a == b.wrapping_neg() && mask & other_mask == mask {
                    Some((other_mask & !mask, b))
                } else {
                    None
                };
                if let Some((mask, coefficient)) = merged {
                    return Some((at, other, self.and_word(base, mask), coefficient));
                }
            }
        }
        None
    }

    fn facts_of_sum(&self, parts: &Parts, constant: Word) -> Facts {
        let of_parts: SmallVec<[Facts; 4]> = parts.iter().map(|(part, _)| *self.facts(*part)).collect();
        let facts = facts_of_sum(parts, &of_parts, constant);
        match self.facts_of_union(parts, constant) {
            Some(union) => facts.meet(&union).unwrap_or(facts),
            None => facts,
        }
    }

    /// True of a sum whose parts have no common bits.
    pub(crate) fn is_union(&self, parts: &[(Term, Word)], constant: Word) -> bool {
        self.facts_of_union(parts, constant).is_some()
    }

    /// Facts of a sum whose parts have no common bits.
    fn facts_of_union(&self, parts: &[(Term, Word)], constant: Word) -> Option<Facts> {
        let (mut facts, mut taken) = (Facts::exactly(constant), constant);
        for (part, coefficient) in parts {
            let moved = self.facts_of_moved(*part, *coefficient)?;
            if !(moved.possible_ones() & taken).is_zero() {
                return None;
            }
            taken |= moved.possible_ones();
            facts = transfer(Opcode::OR, &[&facts, &moved]);
        }
        Some(facts)
    }

    fn facts_of_moved(&self, part: Term, coefficient: Word) -> Option<Facts> {
        let amount = exponent(coefficient)?;
        Some(transfer(Opcode::SHL, &[&Facts::exactly(Word::from(amount)), self.facts(part)]))
    }

    /// The addends of a sum without common bits; `None` for others.
    pub(super) fn union(&mut self, term: Term) -> Option<SmallVec<[Term; 4]>> {
        let Node::Sum(parts, constant) = self.node(term) else { return None };
        self.facts_of_union(parts, *constant)?;
        let (parts, constant) = (parts.to_vec(), *constant);
        if parts.len() + usize::from(!constant.is_zero()) < 2 {
            return None;
        }
        let mut addends = SmallVec::new();
        for part in parts {
            addends.push(self.sum(Parts::from_slice(&[part]), Word::ZERO));
        }
        if !constant.is_zero() {
            addends.push(self.word(constant));
        }
        Some(addends)
    }
}

/// The exponent of a power of two.
pub(super) fn exponent(word: Word) -> Option<usize> {
    (word.count_ones() == 1).then(|| word.trailing_zeros())
}

/// Facts of a sum by those of its parts.
pub(crate) fn facts_of_sum(parts: &[(Term, Word)], facts: &[Facts], constant: Word) -> Facts {
    let mut sum = Facts::exactly(constant);
    for is_negative in [false, true] {
        for ((_, coefficient), part) in parts.iter().zip(facts) {
            if word::is_negative(*coefficient) != is_negative {
                continue;
            }
            let (opcode, factor) = match is_negative {
                false => (Opcode::ADD, *coefficient),
                true => (Opcode::SUB, coefficient.wrapping_neg()),
            };
            let product = transfer(Opcode::MUL, &[part, &Facts::exactly(factor)]);
            sum = transfer(opcode, &[&sum, &product]);
        }
    }
    sum
}
