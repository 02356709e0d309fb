//! Terms in the light of what holds on a path.
//!
//! On a path on which the upper bits of `x` are zero, `x` is `and(x, low)`; on which `x` is `y + 1`, that;
//! a comparison that is known is 0 or 1. So what one program masks and the other does not is one term,
//! and a solver need not be asked. Every step keeps the word on every run of the path.

use super::bounds::Conditions;
use crate::term::{Leaf, Node, Term, Terms};
use cairn_evm::{Opcode, word};

/// Bits of a place in memory.
const NARROW_BITS: usize = 64;

/// How often what a term is by a condition is replaced by what that is.
const MAX_STEPS: usize = 4;

impl Conditions {
    /// A term that is the same word on every run of the path.
    pub(crate) fn simplify(&self, terms: &mut Terms, term: Term) -> Term {
        if !self.says_something() {
            return term;
        }
        if let Some(found) = self.remembered(term) {
            return found;
        }
        for part in terms.below(&[term]) {
            if self.remembered(part).is_none() {
                let simple = self.simplify_node(terms, part);
                self.remember(part, simple);
            }
        }
        self.remembered(term).unwrap_or(term)
    }

    /// A term whose operands were simplified.
    fn simplify_node(&self, terms: &mut Terms, term: Term) -> Term {
        if let Some(other) = self.replaced(terms, term) {
            return other;
        }
        let made = self.rebuilt(terms, term);
        if made == term { term } else { self.replaced(terms, made).unwrap_or(made) }
    }

    /// What the path says a term is, and what it says that is.
    fn replaced(&self, terms: &mut Terms, term: Term) -> Option<Term> {
        let mut found = self.replacement(terms, term)?;
        for _ in 0..MAX_STEPS {
            match self.replacement(terms, found) {
                Some(next) if next != found => found = next,
                _ => break,
            }
        }
        Some(found)
    }

    /// What the path says a term is.
    fn replacement(&self, terms: &mut Terms, term: Term) -> Option<Term> {
        if terms.as_word(term).is_some() {
            return None;
        }
        if let Node::Op(Opcode::EQ | Opcode::LT | Opcode::SLT, _) = terms.node(term) {
            let known = self.decide(terms, term)?;
            return Some(if known { terms.one } else { terms.zero });
        }
        if let Some(other) = self.equal_to(term) {
            return Some(other);
        }
        if let Some(word) = self.bound_of(term).and_then(|facts| facts.as_word()) {
            return Some(terms.word(word));
        }
        let greatest = &|terms: &Terms, term: Term| self.facts(terms, term).hi();
        if let &Node::Op(Opcode::DIV, ref args) = terms.node(term) {
            let (a, b) = (args[0], args[1]);
            return match terms.as_word(b) {
                Some(_) => None,
                None => terms.exact_quotient(a, b, greatest),
            };
        }
        if let &Node::Op(opcode @ (Opcode::ADDMOD | Opcode::MULMOD), ref args) = terms.node(term) {
            let args = [args[0], args[1], args[2]];
            return terms.as_remainder(opcode, args, greatest);
        }
        let found = self.masked(terms, term);
        (found != term).then_some(found)
    }

    /// A word without a mask that leaves it as it is, and where it has more bits than any place in memory with the
    /// mask of what bounds it: with a narrower one for each bound a word would be many.
    fn masked(&self, terms: &mut Terms, term: Term) -> Term {
        let word = self.unmasked(terms, term);
        let before = terms.facts(word).possible_ones();
        let is_narrow = before.bit_len() <= NARROW_BITS || matches!(terms.node(word), Node::Sum(..));
        match self.bound_of(word).map(|facts| facts.possible_ones()) {
            None => word,
            Some(_) if is_narrow => word,
            Some(bits) if bits.bit_len() <= NARROW_BITS => terms.and_word(word, word::low_mask(NARROW_BITS)),
            Some(bits) => terms.and_word(word, bits),
        }
    }

    /// The word of which a mask takes nothing away on the path.
    fn unmasked(&self, terms: &Terms, term: Term) -> Term {
        let Node::Op(Opcode::AND, args) = terms.node(term) else { return term };
        match terms.as_word(args[1]) {
            Some(mask) if (self.facts(terms, args[0]).possible_ones() & !mask).is_zero() => args[0],
            _ => term,
        }
    }

    /// The same node of simplified operands.
    fn rebuilt(&self, terms: &mut Terms, term: Term) -> Term {
        let simple = |old: &Term| self.remembered(*old).unwrap_or(*old);
        match terms.node(term).clone() {
            Node::Const(_) => term,
            Node::Sum(parts, constant) => {
                if parts.iter().all(|(part, _)| simple(part) == *part) {
                    return term;
                }
                let mut sum = terms.word(constant);
                for (part, coefficient) in &parts {
                    let product = terms.scale(simple(part), *coefficient);
                    sum = terms.add(sum, product);
                }
                sum
            }
            Node::Op(opcode, args) => {
                let simple: Vec<Term> = args.iter().map(simple).collect();
                match simple[..] == args[..] {
                    true => term,
                    false => terms.apply(opcode, &simple).unwrap_or(term),
                }
            }
            Node::Ite(args) => {
                let [condition, yes, no] = args.map(|arg| simple(&arg));
                terms.ite(condition, yes, no)
            }
            Node::Leaf(leaf, args) => {
                let simple: Vec<Term> = args.iter().map(simple).collect();
                match leaf {
                    _ if simple[..] == args[..] => term,
                    Leaf::Keccak(length) => terms.hash(length, &simple),
                    _ => terms.leaf(leaf, &simple),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::eval::{Evaluation, Given};
    use cairn_evm::{Word, keccak256};

    /// Words that look like any, by a number.
    struct Drawn(u64);

    impl Drawn {
        fn number(&mut self, below: usize) -> usize {
            self.0 += 1;
            (self.word(0) % Word::from(below)).to()
        }

        /// A word that is often at an edge.
        fn word(&self, number: u64) -> Word {
            let hash = Word::from_be_bytes(keccak256([self.0, number].map(u64::to_be_bytes).concat()).0);
            let bits = [8, 31, 64, 160, 256][usize::from(hash.byte(0)) % 5];
            match hash.byte(1) % 6 {
                0 => Word::from(hash.byte(2) % 4),
                1 => word::low_mask(bits),
                2 => !word::low_mask(usize::from(hash.byte(2)) % 8),
                3 => Word::from(hash.byte(2)) << 5,
                _ => hash & word::low_mask(bits),
            }
        }
    }

    impl Given for Drawn {
        fn word(&self, leaf: Leaf, _: &[Word]) -> Word {
            match leaf {
                Leaf::Any(number, bits) => Drawn::word(self, number.into()) & word::low_mask(bits.into()),
                _ => Word::ZERO,
            }
        }
    }

    const OPCODES: [Opcode; 13] = [
        Opcode::ADD,
        Opcode::ADD,
        Opcode::SUB,
        Opcode::MUL,
        Opcode::DIV,
        Opcode::AND,
        Opcode::AND,
        Opcode::OR,
        Opcode::SHL,
        Opcode::SHR,
        Opcode::LT,
        Opcode::EQ,
        Opcode::SLT,
    ];

    /// Terms made of four words and constants.
    fn pool(terms: &mut Terms, drawn: &mut Drawn) -> Vec<Term> {
        let leaves = [256, 64, 256, 8];
        let leaf = |(number, bits)| terms.leaf(Leaf::Any(number as u32, bits), &[]);
        let mut pool: Vec<Term> = leaves.into_iter().enumerate().map(leaf).collect();
        for number in 0..6 {
            let word = Drawn::word(drawn, 100 + number);
            pool.push(terms.word(word));
        }
        while pool.len() < 40 {
            let [a, b] = [0, 1].map(|_| pool[drawn.number(pool.len())]);
            let made = match drawn.number(8) {
                0 => {
                    let (condition, other) = (terms.lt(a, b), pool[drawn.number(pool.len())]);
                    Some(terms.ite(condition, a, other))
                }
                _ => terms.apply(OPCODES[drawn.number(OPCODES.len())], &[a, b]),
            };
            pool.extend(made);
        }
        pool
    }

    /// On every run on which conditions hold a term is the word that it is simplified to, its facts hold, and what is
    /// decided is so.
    #[test]
    fn simple_terms_are_the_same_words_where_the_conditions_hold() {
        for seed in 0..1_500 {
            let mut drawn = Drawn(seed << 32);
            let mut terms = Terms::default();
            let pool = pool(&mut terms, &mut drawn);
            let mut conditions = Conditions::default();
            let mut list = Vec::new();
            for _ in 0..4 {
                let [a, b] = [0, 1].map(|_| pool[drawn.number(pool.len())]);
                let compared = match drawn.number(3) {
                    0 => terms.eq(a, b),
                    1 => terms.lt(a, b),
                    _ => terms.slt(a, b),
                };
                // As they are on one run, so that there is one.
                let run = Drawn(seed);
                let holds = !Evaluation::new(&terms, &run).word(compared).is_zero();
                let condition = if holds { compared } else { terms.is_zero(compared) };
                list.push(condition);
                conditions.assume(&mut terms, condition);
            }
            let simple: Vec<Term> = pool.iter().map(|term| conditions.simplify(&mut terms, *term)).collect();
            for other in 0..12 {
                let run = Drawn(seed + (other << 16));
                let mut evaluation = Evaluation::new(&terms, &run);
                if list.iter().any(|condition| evaluation.word(*condition).is_zero()) {
                    continue;
                }
                for (term, simple) in pool.iter().zip(&simple) {
                    let word = evaluation.word(*term);
                    assert_eq!(
                        word,
                        evaluation.word(*simple),
                        "{seed}: {}",
                        crate::term::show(&terms, *term, 9)
                    );
                    let facts = conditions.facts(&terms, *term);
                    assert!(
                        (facts.lo()..=facts.hi()).contains(&word)
                            && (word & !facts.possible_ones()).is_zero()
                    );
                    if terms.facts(*term).is_bool()
                        && let Some(known) = conditions.decide(&terms, *term)
                    {
                        assert_eq!(known, !word.is_zero(), "{seed}: {}", crate::term::show(&terms, *term, 9));
                    }
                }
            }
        }
    }
}
