//! Comparisons: 0 or 1.

use super::aligned::Aligned;
use super::linear::Parts;
use super::{Node, Term, Terms};
use cairn_evm::{Opcode, Word, word};

impl Terms {
    /// 1 if they are equal.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        let difference = self.sub(a, b);
        if let Some(word) = self.as_word(difference) {
            return if word.is_zero() { self.one } else { self.zero };
        }
        let of_hashes = self.eq_hashes(a, b).or_else(|| {
            let (a, b) = self.without_common(difference)?;
            self.eq_hashes(a, b)
        });
        if let Some(equal) = of_hashes {
            self.used_far_hashes = true;
            return equal;
        }
        if self.facts(a).meet(self.facts(b)).is_none() {
            return self.zero;
        }
        if let Some(fits) = self.eq_quotient(a, b).or_else(|| self.eq_quotient(b, a)) {
            return fits;
        }
        let (parts, constant) = self.linear(difference);
        if let [(part, coefficient)] = parts[..] {
            if coefficient == Word::from(1) {
                return self.eq_word(part, constant.wrapping_neg());
            }
            if coefficient == Word::MAX {
                return self.eq_word(part, constant);
            }
            if let Some(truth) = self.eq_of_product(part, coefficient, constant) {
                return truth;
            }
        }
        let difference = self.with_sign(difference, &parts);
        let zero = self.zero;
        if self.facts(difference).is_nonzero() {
            return zero;
        }
        self.raw(Opcode::EQ, &[difference, zero])
    }

    /// Two words that are equal exactly if a difference of two is zero, without what was added to both; `None` if more
    /// than one word a side is left.
    fn without_common(&mut self, difference: Term) -> Option<(Term, Term)> {
        let (parts, constant) = self.linear(difference);
        let (one, minus_one) = (Word::from(1), Word::MAX);
        match parts[..] {
            [(a, factor)] if factor == one => Some((a, self.word(constant.wrapping_neg()))),
            [(a, factor)] if factor == minus_one => Some((a, self.word(constant))),
            [(a, first), (b, second)] | [(b, second), (a, first)] if first == one && second == minus_one => {
                // What is added stays a small number, if it was one.
                Some(if constant.bit(255) {
                    let more = self.word(constant.wrapping_neg());
                    (a, self.add(b, more))
                } else {
                    let more = self.word(constant);
                    (self.add(a, more), b)
                })
            }
            _ => None,
        }
    }

    /// How checked products are checked: the product of a word and a number is divided by one of the two, and the
    /// other comes out exactly if the product did not wrap. So the word is no more than the number allows.
    fn eq_quotient(&mut self, quotient: Term, other: Term) -> Option<Term> {
        let Node::Op(Opcode::DIV, args) = self.node(quotient) else { return None };
        let (product, divisor) = (args[0], args[1]);
        let (factor, number) = self.as_product(product)?;
        let end = self.word((Word::MAX / number).checked_add(Word::from(1))?);
        if factor == other && self.as_word(divisor) == Some(number) {
            return Some(self.lt(factor, end));
        }
        if factor != divisor || self.as_word(other) != Some(number) {
            return None;
        }
        // Nothing is divided by zero, which gives zero.
        let (fits, divides) = (self.lt(factor, end), self.is_nonzero(factor));
        Some(self.and(fits, divides))
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
            && let Some(simpler) = self.negated(a).or_else(|| self.eq_zero(a))
        {
            return simpler;
        }
        if let Node::Ite([condition, yes, no]) = *self.node(a) {
            let [yes, no] = [yes, no].map(|way| self.eq(way, wanted));
            if let Some(truth) = self.choose_truth(condition, yes, no) {
                return truth;
            }
        }
        self.raw(Opcode::EQ, &[a, wanted])
    }

    /// No bit of two words is set, or none from some bit on.
    fn eq_zero(&mut self, a: Term) -> Option<Term> {
        let Node::Op(opcode, args) = self.node(a) else { return None };
        let (opcode, first, second) = (*opcode, args[0], *args.get(1)?);
        let (from, base) = match opcode {
            Opcode::OR if !self.facts(a).is_bool() => {
                let (first, second) = (self.is_zero(first), self.is_zero(second));
                return Some(self.and(first, second));
            }
            Opcode::DIV => {
                self.divided(a)?;
                return Some(self.lt(first, second));
            }
            Opcode::SHR => (self.as_u64(first).filter(|by| *by < 256)? as usize, second),
            Opcode::AND => {
                let mask = self.as_word(second)?;
                (mask.trailing_zeros(), first)
            }
            _ => return None,
        };
        let is_all = opcode == Opcode::SHR || self.as_word(second) == Some(!word::low_mask(from));
        let bound = self.word(Word::from(1) << from);
        is_all.then(|| self.lt(base, bound))
    }

    /// The condition that a term is the negation of.
    pub(crate) fn negated(&self, a: Term) -> Option<Term> {
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
                match self.aligned(a, bound) {
                    Aligned::Everywhere => return self.one,
                    Aligned::Only(word) => {
                        let word = self.word(word);
                        return self.eq(a, word);
                    }
                    Aligned::Below(higher) if higher != bound => {
                        let higher = self.word(higher);
                        return self.lt(a, higher);
                    }
                    Aligned::Below(_) => {}
                }
                if let Some(shorter) = self.lt_shifted(a, bound) {
                    return shorter;
                }
                if let Some(shorter) = self.lt_of_product(a, bound) {
                    return shorter;
                }
                if let Some(both) = self.lt_of_choice(a, bound).or_else(|| self.lt_of_mean(a, bound)) {
                    return both;
                }
                if let Some((base, by)) = self.divided(a).or_else(|| self.moved_down(a)) {
                    // Less than a product that is 2^256 or more is every word.
                    let Some(product) = bound.checked_mul(by) else { return self.one };
                    let product = self.word(product);
                    return self.lt(base, product);
                }
            }
            _ => {
                if let Some(plainer) = self.lt_of_difference(a, b) {
                    return plainer;
                }
                if let Some(shorter) = self.lt_without_common(a, b) {
                    return shorter;
                }
            }
        }
        self.raw(Opcode::LT, &[a, b])
    }

    /// How differences are checked: `x < x − y` says that it wrapped, as `x < y` does. On all words `a < b` exactly if
    /// `a < a − b`: where `a` is less, the difference is 2^256 − b more than it, and else no more. So of `b` and `a − b`,
    /// where the first takes something away, the plainer one is compared with: that which takes less away, or has fewer
    /// parts.
    fn lt_of_difference(&mut self, a: Term, b: Term) -> Option<Term> {
        let rank = |terms: &Terms, term: Term| {
            let parts = terms.linear(term).0;
            let taken = parts.iter().filter(|(_, coefficient)| word::is_negative(*coefficient)).count();
            (taken, parts.len(), term)
        };
        let own = rank(self, b);
        let other = self.sub(a, b);
        if let Some(number) = self.as_word(other) {
            return (!word::is_negative(number)).then(|| self.lt(a, other));
        }
        if own.0 == 0 {
            return None;
        }
        (rank(self, other) < own).then(|| self.lt(a, other))
    }

    /// What is moved right by a constant, and the power of two that it is divided by.
    fn moved_down(&self, a: Term) -> Option<(Term, Word)> {
        let Node::Op(Opcode::SHR, args) = self.node(a) else { return None };
        let by = self.as_u64(args[0]).filter(|by| *by < 256)?;
        Some((args[1], Word::from(1) << by as usize))
    }

    /// A choice is less than a bound where the way that is plain is, or is taken and the other one is.
    fn lt_of_choice(&mut self, a: Term, bound: Word) -> Option<Term> {
        let Node::Ite([condition, yes, no]) = *self.node(a) else { return None };
        let bound = self.word(bound);
        let [yes, no] = [yes, no].map(|way| self.lt(way, bound));
        self.choose_truth(condition, yes, no)
    }

    /// Steps towards a root take the mean of a word and of what a number divided by it is. That is 0 for the word 0, for 1
    /// where nothing or all is divided, and where all is divided by all: of two or more nothing is less than 2.
    fn lt_of_mean(&mut self, a: Term, bound: Word) -> Option<Term> {
        let Node::Sum(parts, Word::ZERO) = self.node(a) else { return None };
        let &[(first, Word::ONE), (second, Word::ONE)] = &parts[..] else { return None };
        let divided = |quotient: Term, by: Term| match self.node(quotient) {
            Node::Op(Opcode::DIV, args) if args[1] == by => Some((args[0], by)),
            _ => None,
        };
        let (number, by) = divided(first, second).or_else(|| divided(second, first))?;
        if bound != Word::from(2) {
            return None;
        }
        let (one, all) = (self.one, self.word(Word::MAX));
        let [is_nothing, is_one, is_all] = [self.zero, one, all].map(|word| self.eq(by, word));
        let (divides_nothing, divides_all) = (self.is_zero(number), self.eq(number, all));
        let divides_either = self.or(divides_nothing, divides_all);
        let (by_one, by_all) = (self.and(is_one, divides_either), self.and(is_all, divides_all));
        let other = self.or(by_one, by_all);
        Some(self.or(is_nothing, other))
    }

    /// A choice of two truths of which one is known.
    fn choose_truth(&mut self, condition: Term, yes: Term, no: Term) -> Option<Term> {
        let other = self.is_zero(condition);
        Some(match (self.as_word(yes), self.as_word(no)) {
            (Some(Word::ZERO), _) => self.and(other, no),
            (Some(_), _) => self.or(condition, no),
            (_, Some(Word::ZERO)) => self.and(condition, yes),
            (_, Some(_)) => self.or(other, yes),
            (None, None) => return None,
        })
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
}
