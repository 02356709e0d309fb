//! What holds on a path, and what it says of words.

use crate::term::{Node, Term, Terms, facts_of_sum, transfer};
use cairn_evm::{Opcode, Word, word};
use cairn_rules::Facts;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// How far operands are looked into for bounds.
const DEPTH: usize = 6;

/// The conditions of a path.
#[derive(Clone, Default)]
pub(crate) struct Conditions {
    list: Vec<Term>,
    known: FxHashMap<Term, bool>,
    bounds: FxHashMap<Term, Facts>,
    /// Terms that are others on the path, made of older ones.
    equal: FxHashMap<Term, Term>,
    /// What terms are on the path, as far as it was asked for.
    simple: Rc<RefCell<FxHashMap<Term, Term>>>,
    /// Comparisons of the list as they are now, and whether they hold.
    pub(super) renewed: Rc<OnceCell<FxHashMap<Term, bool>>>,
    /// Conditions that were found not to hold on any run: more conditions don't change that.
    never: Rc<RefCell<FxHashSet<Term>>>,
}

impl Conditions {
    /// Each condition: 0 or 1.
    pub(crate) fn list(&self) -> &[Term] {
        &self.list
    }

    /// Adds a condition that is 0 or 1.
    pub(crate) fn assume(&mut self, terms: &mut Terms, condition: Term) {
        if condition == terms.one || self.known.get(&condition) == Some(&true) {
            return;
        }
        let simple = self.simplify(terms, condition);
        if simple != terms.one {
            self.list.push(simple);
            self.learn(terms, (simple, true));
        }
        self.known.insert(condition, true);
        self.simple = Rc::default();
        self.renewed = Rc::default();
        // What is found from here on is not known of paths that share what was found so far.
        let never = self.never.borrow().clone();
        self.never = Rc::new(RefCell::new(never));
    }

    /// Takes note of a condition that no run of the path has.
    pub(super) fn exclude(&self, condition: Term) {
        self.never.borrow_mut().insert(condition);
    }

    /// True if a condition was excluded.
    pub(super) fn excludes(&self, condition: Term) -> bool {
        self.never.borrow().contains(&condition)
    }

    /// True if a condition is one of them.
    pub(super) fn has(&self, condition: Term) -> bool {
        self.known.get(&condition) == Some(&true)
    }

    /// True unless nothing is known.
    pub(super) fn says_something(&self) -> bool {
        !self.known.is_empty()
    }

    /// The term that one is by a condition that says so.
    pub(super) fn equal_to(&self, term: Term) -> Option<Term> {
        self.equal.get(&term).copied()
    }

    /// What the conditions say of a term itself.
    pub(super) fn bound_of(&self, term: Term) -> Option<Facts> {
        self.bounds.get(&term).copied()
    }

    /// What a term was simplified to.
    pub(super) fn remembered(&self, term: Term) -> Option<Term> {
        self.simple.borrow().get(&term).copied()
    }

    /// Keeps what a term is simplified to.
    pub(super) fn remember(&self, term: Term, simple: Term) {
        self.simple.borrow_mut().insert(term, simple);
    }

    /// A condition is not zero, or is zero.
    fn learn(&mut self, terms: &mut Terms, (condition, truth): (Term, bool)) {
        self.known.insert(condition, truth);
        let negated = terms.is_zero(condition);
        self.known.insert(negated, !truth);
        match (terms.node(condition).clone(), truth) {
            (Node::Op(Opcode::EQ, args), truth) => {
                if let Some(other) = terms.negated(condition) {
                    self.learn(terms, (other, !truth));
                } else if truth {
                    let facts = *terms.facts(args[1]);
                    self.bound(terms, args[0], facts);
                    self.learn_bits(terms, args[0], facts);
                    if args[1] == terms.zero
                        && let Some((term, other)) = terms.solved(args[0])
                    {
                        self.equal.insert(term, other);
                    }
                } else if args[1] == terms.zero {
                    self.bound(terms, args[0], Facts::between(Word::from(1), Word::MAX));
                }
            }
            (Node::Op(Opcode::LT, args), true) => {
                let hi = terms.facts(args[1]).hi().saturating_sub(Word::from(1));
                self.bound(terms, args[0], Facts::between(Word::ZERO, hi));
                let lo = terms.facts(args[0]).lo().saturating_add(Word::from(1));
                self.bound(terms, args[1], Facts::between(lo, Word::MAX));
            }
            (Node::Op(Opcode::LT, args), false) => {
                let lo = terms.facts(args[1]).lo();
                self.bound(terms, args[0], Facts::between(lo, Word::MAX));
                let hi = terms.facts(args[0]).hi();
                self.bound(terms, args[1], Facts::between(Word::ZERO, hi));
            }
            (Node::Op(Opcode::SLT, args), false) => {
                // Not below a number that is not negative: not negative.
                if let Some(least) = terms.as_word(args[1]).filter(|least| !word::is_negative(*least)) {
                    self.bound(terms, args[0], Facts::between(least, word::MAX_SIGNED));
                }
            }
            (Node::Op(Opcode::OR, args), false) => {
                let is_flags = args.iter().all(|arg| terms.facts(*arg).is_bool());
                args.iter().filter(|_| is_flags).for_each(|arg| self.learn(terms, (*arg, false)));
            }
            (Node::Op(Opcode::AND, args), true) => {
                let is_flags = args.iter().all(|arg| terms.facts(*arg).is_bool());
                args.iter().filter(|_| is_flags).for_each(|arg| self.learn(terms, (*arg, true)));
            }
            _ => {}
        }
    }

    /// What a masked word is says what bits of the word are.
    fn learn_bits(&mut self, terms: &Terms, masked: Term, facts: Facts) {
        if let (Node::Op(Opcode::AND, args), Some(word)) = (terms.node(masked), facts.as_word())
            && let Some(mask) = terms.as_word(args[1])
        {
            let bits = transfer(Opcode::AND, &[&Facts::ANY, &Facts::exactly(!mask | word)]);
            self.bound(terms, args[0], bits);
        }
    }

    fn bound(&mut self, terms: &Terms, term: Term, facts: Facts) {
        let before = self.bounds.get(&term).copied().unwrap_or(*terms.facts(term));
        // Contradictions are the solver's.
        if let Some(met) = before.meet(&facts) {
            self.bounds.insert(term, met);
            if met.hi() < before.hi() {
                self.bound_operands(terms, term, met.hi());
            }
            if met.lo() > before.lo() {
                self.bound_operands_below(terms, term, met.lo());
            }
        }
    }

    /// What is added up or rounded down to no more than that is no more, either.
    fn bound_operands(&mut self, terms: &Terms, term: Term, hi: Word) {
        match terms.node(term) {
            Node::Sum(parts, constant) => {
                let greatest = parts.iter().try_fold(*constant, |sum, (part, coefficient)| {
                    let product = self.facts(terms, *part).hi().checked_mul(*coefficient)?;
                    sum.checked_add(product)
                });
                let (Some(_), Some(rest)) = (greatest, hi.checked_sub(*constant)) else { return };
                for (part, coefficient) in parts {
                    self.bound(terms, *part, Facts::between(Word::ZERO, rest / *coefficient));
                }
            }
            Node::Op(Opcode::AND, args) => {
                let Some(mask) = terms.as_word(args[1]) else { return };
                let low = word::low_mask(mask.trailing_zeros());
                let possible = self.facts(terms, args[0]).possible_ones();
                if (possible & !(mask | low)).is_zero() {
                    self.bound(terms, args[0], Facts::between(Word::ZERO, hi | low));
                }
            }
            _ => {}
        }
    }

    /// What is added up or rounded down to no less than that is no less, either, by as much as the others can be.
    fn bound_operands_below(&mut self, terms: &Terms, term: Term, lo: Word) {
        match terms.node(term) {
            Node::Sum(parts, constant) => {
                let greatest = |terms: &Terms, own: &Conditions, part: &(Term, Word)| {
                    own.facts(terms, part.0).hi().checked_mul(part.1)
                };
                for part in parts {
                    let others = parts.iter().filter(|other| other.0 != part.0);
                    let rest = others
                        .into_iter()
                        .try_fold(*constant, |sum, other| sum.checked_add(greatest(terms, self, other)?));
                    let all = rest.and_then(|rest| rest.checked_add(greatest(terms, self, part)?));
                    let (Some(rest), Some(_)) = (rest, all) else { return };
                    let Some(own) = lo.checked_sub(rest) else { continue };
                    let least = own / part.1 + Word::from(u64::from(!(own % part.1).is_zero()));
                    self.bound(terms, part.0, Facts::between(least, Word::MAX));
                }
            }
            Node::Op(Opcode::AND, args) if terms.as_word(args[1]).is_some() => {
                self.bound(terms, args[0], Facts::between(lo, Word::MAX));
            }
            _ => {}
        }
    }

    /// What is known of a word on the path.
    pub(crate) fn facts(&self, terms: &Terms, term: Term) -> Facts {
        self.facts_to(terms, term, DEPTH)
    }

    /// Where nothing more is known of operands than always, nothing is computed again.
    fn facts_to(&self, terms: &Terms, term: Term, depth: usize) -> Facts {
        let own = self.bounds.get(&term).copied().unwrap_or(*terms.facts(term));
        if depth == 0 || self.bounds.is_empty() {
            return own;
        }
        let inner = match terms.node(term) {
            Node::Sum(parts, constant) => {
                let operands = parts.iter().map(|(part, _)| *part);
                self.facts_of_more(terms, operands, depth).map(|facts| facts_of_sum(parts, &facts, *constant))
            }
            Node::Op(opcode, args) if args.len() == 2 => {
                let operands = args.iter().copied();
                self.facts_of_more(terms, operands, depth)
                    .map(|facts| transfer(*opcode, &[&facts[0], &facts[1]]))
            }
            Node::Ite([_, yes, no]) => {
                Some(self.facts_to(terms, *yes, depth - 1).join(&self.facts_to(terms, *no, depth - 1)))
            }
            Node::Op(..) | Node::Const(_) | Node::Leaf(..) => None,
        };
        inner.and_then(|inner| own.meet(&inner)).unwrap_or(own)
    }

    /// What is known of operands, if it is more than always of one of them.
    fn facts_of_more(
        &self,
        terms: &Terms,
        operands: impl Iterator<Item = Term>,
        depth: usize,
    ) -> Option<SmallVec<[Facts; 4]>> {
        let mut is_more = false;
        let facts = operands
            .map(|operand| {
                let facts = self.facts_to(terms, operand, depth - 1);
                is_more |= facts != *terms.facts(operand);
                facts
            })
            .collect();
        is_more.then_some(facts)
    }

    /// Whether a condition, 0 or 1, holds, as far as can be told without a solver.
    pub(crate) fn decide(&self, terms: &Terms, condition: Term) -> Option<bool> {
        if let Some(word) = terms.as_word(condition) {
            return Some(!word.is_zero());
        }
        if let Some(known) = self.known.get(&condition) {
            return Some(*known);
        }
        if let Some(other) = terms.negated(condition) {
            return self.decide(terms, other).map(|truth| !truth);
        }
        match terms.node(condition) {
            Node::Op(Opcode::OR, args) if terms.facts(condition).is_bool() => {
                match (self.decide(terms, args[0]), self.decide(terms, args[1])) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                }
            }
            Node::Op(Opcode::AND, args) if terms.facts(condition).is_bool() => {
                let truths = [0, 1].map(|index| match terms.facts(args[index]).is_bool() {
                    true => self.decide(terms, args[index]),
                    false => None,
                });
                match truths {
                    [Some(false), _] | [_, Some(false)] => Some(false),
                    [Some(true), Some(true)] => Some(true),
                    _ => None,
                }
            }
            Node::Op(opcode @ (Opcode::EQ | Opcode::LT | Opcode::SLT), args) => {
                let facts = [0, 1].map(|index| self.facts(terms, args[index]));
                transfer(*opcode, &[&facts[0], &facts[1]]).as_word().map(|word| !word.is_zero())
            }
            _ => self.facts(terms, condition).as_word().map(|word| !word.is_zero()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Leaf;
    use crate::term::eval::Evaluation;
    use crate::term::eval::testing::Numbered;

    /// Whatever a bound on a sum says of its parts holds of all words that are within it; terms stay the same words.
    #[test]
    fn bounds_of_sums_are_bounds_of_parts() {
        let edges: Vec<Word> =
            [0u64, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 255, 256, u64::MAX / 32, u64::MAX / 32 + 1, u64::MAX]
                .map(Word::from)
                .to_vec();
        let factors = [Word::from(1), Word::from(3), Word::from(32), Word::from(1) << 192, Word::MAX];
        for (factor, constant, bits) in factors.iter().flat_map(|factor| {
            [0u64, 7, 63].into_iter().flat_map(move |more| [0usize, 5].map(|bits| (*factor, more, bits)))
        }) {
            let bounds = edges.iter().copied().chain([Word::MAX, Word::from(1) << 200]);
            for (bound, is_below) in bounds.flat_map(|bound| [(bound, true), (bound, false)]) {
                let mut terms = Terms::default();
                let [x, y] = [0, 1].map(|number| terms.leaf(Leaf::Any(number, 64), &[]));
                let product = terms.scale(x, factor);
                let sum = terms.add(product, y);
                let sum = terms.add_number(sum, constant);
                let rounded = terms.and_word(sum, !word::low_mask(bits));
                let bound = terms.word(bound);
                let below = terms.lt(rounded, bound);
                let condition = if is_below { below } else { terms.is_zero(below) };
                let mut conditions = Conditions::default();
                conditions.assume(&mut terms, condition);
                let simple = [x, y, sum].map(|term| conditions.simplify(&mut terms, term));
                for (a, b) in edges.iter().flat_map(|a| edges.iter().map(move |b| (*a, *b))) {
                    let given = Numbered([a, b]);
                    let mut evaluation = Evaluation::new(&terms, &given);
                    if evaluation.word(condition).is_zero() {
                        continue;
                    }
                    for (term, simple) in [x, y, sum].into_iter().zip(simple) {
                        let word = evaluation.word(term);
                        let facts = conditions.facts(&terms, term);
                        assert!((facts.lo()..=facts.hi()).contains(&word), "{factor} {constant} {a} {b}");
                        assert_eq!(evaluation.word(simple), word, "{factor} {constant} {a} {b}");
                    }
                }
            }
        }
    }

    /// What is excluded stays so with more conditions, and is not excluded on other paths.
    #[test]
    fn what_is_excluded_is_so_on_the_path_alone() {
        let mut terms = Terms::default();
        let [x, y] = [0, 1].map(|number| terms.leaf(Leaf::Any(number, 1), &[]));
        let mut before = Conditions::default();
        before.assume(&mut terms, x);
        let same = before.clone();
        let mut on = before.clone();
        on.assume(&mut terms, y);
        on.exclude(x);
        assert!(on.excludes(x) && !before.excludes(x));
        before.exclude(y);
        assert!(same.excludes(y) && !on.excludes(y));
        before.assume(&mut terms, y);
        assert!(before.excludes(y));
    }

    #[test]
    fn what_is_added_up_is_no_more_than_the_sum() {
        let mut terms = Terms::default();
        let [x, y] = [0, 1].map(|number| terms.leaf(Leaf::Any(number, 64), &[]));
        let product = terms.scale(x, Word::from(32));
        let sum = terms.add(product, y);
        let limit = terms.number(1000);
        let condition = terms.lt(sum, limit);
        let mut conditions = Conditions::default();
        conditions.assume(&mut terms, condition);
        assert_eq!(conditions.facts(&terms, x).hi(), Word::from(999 / 32));
        assert_eq!(conditions.facts(&terms, y).hi(), Word::from(999));
        assert_eq!(conditions.facts(&terms, x).lo(), Word::ZERO);
        // What is not there comes from the others.
        let least = terms.number(990);
        let (few, is_less) = (terms.number(30), terms.lt(sum, least));
        let (is_few, is_more) = (terms.lt(y, few), terms.is_zero(is_less));
        conditions.assume(&mut terms, is_few);
        conditions.assume(&mut terms, is_more);
        let facts = conditions.facts(&terms, x);
        assert_eq!((facts.lo(), facts.hi()), (Word::from(31), Word::from(31)));
    }
}
