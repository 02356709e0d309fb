//! Products, quotients, remainders, powers.

use super::linear::exponent;
use super::{Node, Term, Terms};
use cairn_evm::{Opcode, Word};
use cairn_rules::Facts;

impl Terms {
    /// The product modulo 2^256.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        if let Some(factor) = self.as_word(a) {
            return self.scale(b, factor);
        }
        if let Some(factor) = self.as_word(b) {
            return self.scale(a, factor);
        }
        if let Some((part, coefficient)) = self.as_product(a) {
            let product = self.mul(part, b);
            return self.scale(product, coefficient);
        }
        if let Some((part, coefficient)) = self.as_product(b) {
            let product = self.mul(a, part);
            return self.scale(product, coefficient);
        }
        for (power, other) in [(a, b), (b, a)] {
            if let Some(amount) = self.as_power_of_two(power) {
                return self.shl(amount, other);
            }
        }
        self.raw_sorted(Opcode::MUL, a, b)
    }

    /// The quotient; 0 when dividing by 0.
    pub fn div(&mut self, a: Term, b: Term) -> Term {
        match self.as_word(b) {
            Some(Word::ZERO) => self.zero,
            Some(divisor) => match exponent(divisor) {
                Some(amount) => self.shr_by(amount, a),
                None => self.div_by(a, divisor),
            },
            None if a == self.zero => self.zero,
            None => match self.exact_quotient(a, b, &|terms, term| terms.facts(term).hi()) {
                Some(quotient) => quotient,
                None => match self.as_power_of_two(b) {
                    Some(amount) => self.shr(amount, a),
                    None if self.is_more_than_half(b, a) => {
                        self.raw_in(Opcode::DIV, &[a, b], &Facts::between(Word::ZERO, Word::from(1)))
                    }
                    None => self.raw(Opcode::DIV, &[a, b]),
                },
            },
        }
    }

    /// The exponent of a power of two, which is 0 where that is 256 or more: so are then a product with it and a
    /// quotient by it.
    fn as_power_of_two(&self, term: Term) -> Option<Term> {
        match self.node(term) {
            Node::Op(Opcode::SHL, args) if args[1] == self.one => Some(args[0]),
            _ => None,
        }
    }

    /// True of half a word, rounded down, and a constant more: so a square root by Newton's method begins.
    fn is_more_than_half(&mut self, more: Term, word: Term) -> bool {
        if !matches!(self.node(more), Node::Sum(..)) {
            return false;
        }
        let half = self.shr_by(1, word);
        let rest = self.sub(more, half);
        self.as_word(rest).is_some_and(|rest| !rest.is_zero() && rest.bit_len() < 256)
    }

    /// The quotient by a factor of a product that does not wrap, as greatest words tell: the other factor.
    pub(crate) fn exact_quotient(
        &mut self,
        a: Term,
        b: Term,
        greatest: &dyn Fn(&Terms, Term) -> Word,
    ) -> Option<Term> {
        let other = self.other_factor(a, b)?;
        let fits = greatest(self, b).checked_mul(greatest(self, other)).is_some();
        let is_divided = self.is_nonzero(b);
        let zero = self.zero;
        fits.then(|| self.ite(is_divided, other, zero))
    }

    /// By what a word was multiplied, modulo 2^256, to give a product.
    fn other_factor(&mut self, product: Term, factor: Term) -> Option<Term> {
        let (part, coefficient) = self.as_product(product).unwrap_or((product, Word::from(1)));
        if part == factor {
            return Some(self.word(coefficient));
        }
        if let Node::Op(Opcode::MUL, args) = self.node(part) {
            let (x, y) = (args[0], args[1]);
            let other = if x == factor { y } else { x };
            return (x == factor || y == factor).then(|| self.scale(other, coefficient));
        }
        // A part of a word, and the same part moved down, are the one a power of two times the other.
        let zeros = |term: Term| self.facts(term).possible_ones().trailing_zeros();
        let moved = zeros(product).checked_sub(zeros(factor)).filter(|bits| (1..256).contains(bits))?;
        let power = Word::from(1) << moved;
        (self.scale(factor, power) == product).then(|| self.word(power))
    }

    /// A quotient of a quotient is one by the product; nothing is left where that is 2^256 or more.
    fn div_by(&mut self, a: Term, divisor: Word) -> Term {
        if let Some((base, inner)) = self.divided(a) {
            return match inner.checked_mul(divisor) {
                Some(product) => self.div_by(base, product),
                None => self.zero,
            };
        }
        let divisor = self.word(divisor);
        self.raw(Opcode::DIV, &[a, divisor])
    }

    /// What is divided by a constant, and that.
    pub(super) fn divided(&self, a: Term) -> Option<(Term, Word)> {
        let Node::Op(Opcode::DIV, args) = self.node(a) else { return None };
        Some((args[0], self.as_word(args[1])?))
    }

    pub(super) fn sdiv(&mut self, a: Term, b: Term) -> Term {
        if b == self.one {
            return a;
        }
        let is_unsigned = self.facts(a).is_nonnegative() && self.facts(b).is_nonnegative();
        if is_unsigned { self.div(a, b) } else { self.raw(Opcode::SDIV, &[a, b]) }
    }

    /// The remainder; 0 when dividing by 0.
    pub fn rem(&mut self, a: Term, b: Term) -> Term {
        match self.as_word(b) {
            Some(Word::ZERO) => self.zero,
            Some(divisor) if exponent(divisor).is_some() => self.and_word(a, divisor - Word::from(1)),
            _ if self.facts(a).hi() < self.facts(b).lo() => a,
            _ => self.raw(Opcode::MOD, &[a, b]),
        }
    }

    pub(super) fn modular(&mut self, opcode: Opcode, a: Term, b: Term, modulus: Term) -> Term {
        if self.facts(modulus).hi() <= Word::from(1) {
            return self.zero;
        }
        match self.as_remainder(opcode, [a, b, modulus], &|terms, term| terms.facts(term).hi()) {
            Some(remainder) => remainder,
            None => self.raw(opcode, &[a.min(b), a.max(b), modulus]),
        }
    }

    /// `addmod` or `mulmod` of words whose sum or product does not wrap, as greatest words tell: its remainder.
    pub(crate) fn as_remainder(
        &mut self,
        opcode: Opcode,
        [a, b, modulus]: [Term; 3],
        greatest: &dyn Fn(&Terms, Term) -> Word,
    ) -> Option<Term> {
        let [most_of_a, most_of_b] = [a, b].map(|term| greatest(self, term));
        let (most, word) = match opcode {
            Opcode::ADDMOD => (most_of_a.checked_add(most_of_b)?, self.add(a, b)),
            _ => (most_of_a.checked_mul(most_of_b)?, self.mul(a, b)),
        };
        Some(if most < self.facts(modulus).lo() { word } else { self.rem(word, modulus) })
    }

    pub(super) fn exp(&mut self, a: Term, b: Term) -> Term {
        if let Some(exponent) = self.as_u64(b) {
            match exponent {
                0 => return self.one,
                1 => return a,
                2 => return self.mul(a, a),
                _ => {}
            }
        }
        if a == self.zero {
            return self.is_zero(b);
        }
        let base = self.as_word(a).and_then(exponent);
        match base {
            Some(0) => self.one,
            // Of 2, the amount is the exponent; of others it could wrap.
            Some(bits) if bits == 1 || self.facts(b).hi().bit_len() <= 128 => {
                let amount = self.scale(b, Word::from(bits));
                let one = self.one;
                self.shl(amount, one)
            }
            _ => self.raw(Opcode::EXP, &[a, b]),
        }
    }

    /// What is known of a term as a number of bits: the least that it fits.
    pub fn bit_len(&self, term: Term) -> usize {
        self.facts(term).possible_ones().bit_len().min(self.facts(term).hi().bit_len())
    }

    /// The second word if the condition, 0 or 1, is 1; else the third.
    pub fn ite(&mut self, condition: Term, yes: Term, no: Term) -> Term {
        if yes == no || condition == self.one {
            return yes;
        }
        if condition == self.zero {
            return no;
        }
        if yes == self.one && no == self.zero {
            return condition;
        }
        if yes == self.zero && no == self.one {
            return self.is_zero(condition);
        }
        if let Some(other) = self.negated(condition) {
            return self.ite(other, no, yes);
        }
        let facts: Facts = self.facts(yes).join(self.facts(no));
        self.make(Node::Ite([condition, yes, no]), facts)
    }
}

#[cfg(test)]
mod tests {
    use crate::term::{Leaf, Node, Terms};
    use cairn_evm::{Opcode, Word};

    #[test]
    fn a_quotient_by_more_than_half_is_one_at_most() {
        let mut terms = Terms::default();
        let [word, one] = [terms.leaf(Leaf::Any(0, 256), &[]), terms.one];
        let half = terms.shr(one, word);
        let more = terms.add_number(half, 1);
        let [quotient, by_half, by_less] = [more, half, terms.sub(half, one)].map(|by| terms.div(word, by));
        assert_eq!(terms.facts(quotient).hi(), Word::from(1));
        for other in [by_half, by_less] {
            assert!(terms.facts(other).hi() > Word::from(1));
        }
    }

    #[test]
    fn what_is_multiplied_and_divided_by_powers_of_two_is_moved() {
        let mut terms = Terms::default();
        let [word, index] = [(0, 256), (1, 5)].map(|(n, bits)| terms.leaf(Leaf::Any(n, bits), &[]));
        let (base, eight) = (terms.number(256), Word::from(8));
        let (power, amount) = (terms.exp(base, index), terms.scale(index, eight));
        let (product, moved_up) = (terms.mul(word, power), terms.shl(amount, word));
        assert_eq!(product, moved_up);
        let (quotient, moved_down) = (terms.div(word, power), terms.shr(amount, word));
        assert_eq!(quotient, moved_down);
        // A quotient by 2^256, which is 0, is 0, as what is moved so far is.
        let (far, two) = (terms.leaf(Leaf::Any(2, 256), &[]), terms.number(2));
        let power = terms.exp(two, far);
        let (quotient, moved_down) = (terms.div(word, power), terms.shr(far, word));
        assert_eq!(quotient, moved_down);
        // Exponents that may wrap are none.
        let power = terms.exp(base, far);
        let quotient = terms.div(word, power);
        assert!(matches!(terms.node(quotient), Node::Op(Opcode::DIV, _)));
    }

    #[test]
    fn what_does_not_wrap_is_a_remainder() {
        let mut terms = Terms::default();
        let [wide, narrow] = [(0, 208), (1, 48)].map(|(n, bits)| terms.leaf(Leaf::Any(n, bits), &[]));
        let [any, zero, all] = [terms.leaf(Leaf::Any(2, 256), &[]), terms.zero, terms.word(Word::MAX)];
        let mut of = |opcode, a, b, modulus| terms.apply(opcode, &[a, b, modulus]).expect("arithmetic");
        let (product, sum) = (of(Opcode::MULMOD, wide, narrow, all), of(Opcode::ADDMOD, wide, narrow, all));
        assert_eq!(of(Opcode::MULMOD, zero, any, all), zero);
        let remainder = of(Opcode::MULMOD, wide, narrow, any);
        let kept = of(Opcode::MULMOD, any, narrow, all);
        assert_eq!(product, terms.mul(wide, narrow));
        assert_eq!(sum, terms.add(wide, narrow));
        let whole = terms.mul(wide, narrow);
        assert_eq!(remainder, terms.rem(whole, any));
        let wrapped = terms.mul(any, narrow);
        assert_ne!(kept, wrapped);
        assert_ne!(kept, terms.rem(wrapped, all));
    }
}
