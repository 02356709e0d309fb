//! Which conditions of a path say something about another one.
//!
//! Those that have a word in common with it, or with one that does. Two words under keys that can't be the
//! same have nothing in common, however much their keys have. To leave out a condition is sound: the
//! question says less.

use crate::term::{Function, Opaque, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Pairs of words that are compared for one condition; with more all others may say something.
const MAX_COMPARED: usize = 200_000;

/// Pairs of words that are kept; with more all are found anew.
const MAX_PAIRS: usize = 1 << 20;

/// What was found of terms so far.
#[derive(Default)]
pub(super) struct Relevance {
    atoms: FxHashMap<Term, Rc<[Term]>>,
    same: FxHashMap<(Term, Term), Term>,
}

impl Relevance {
    /// The condition and those that may say something about it.
    pub(super) fn choose(&mut self, terms: &mut Terms, conditions: &[Term], condition: Term) -> Vec<Term> {
        let mut holders: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
        let mut groups: FxHashMap<Function, Vec<Term>> = FxHashMap::default();
        for (index, other) in conditions.iter().enumerate() {
            for atom in self.atoms(terms, *other).iter() {
                let holders = holders.entry(*atom).or_default();
                if holders.is_empty()
                    && let Some(function) = terms.function(*atom)
                {
                    groups.entry(function).or_default().push(*atom);
                }
                holders.push(index);
            }
        }
        let mut chosen = vec![condition];
        let mut is_chosen = vec![false; conditions.len()];
        let mut seen = FxHashSet::default();
        let mut compared = 0;
        let mut open = self.atoms(terms, condition).to_vec();
        while let Some(atom) = open.pop() {
            if !seen.insert(atom) {
                continue;
            }
            for index in holders.get(&atom).into_iter().flatten().copied() {
                if !std::mem::replace(&mut is_chosen[index], true) {
                    chosen.push(conditions[index]);
                    open.extend(self.atoms(terms, conditions[index]).iter());
                }
            }
            let Some(function) = terms.function(atom) else { continue };
            let group = groups.entry(function).or_default();
            let others: Vec<Term> = group.iter().copied().filter(|other| *other != atom).collect();
            if others.len() == group.len() {
                group.push(atom);
            }
            compared += others.len();
            if compared > MAX_COMPARED {
                return std::iter::once(condition).chain(conditions.iter().copied()).collect();
            }
            for other in others {
                if self.same(terms, atom, other) == terms.zero {
                    continue;
                }
                open.push(other);
                for operand in [terms.operands(atom).to_vec(), terms.operands(other).to_vec()].concat() {
                    open.extend(self.atoms(terms, operand).iter());
                }
            }
        }
        chosen
    }

    /// Conditions in parts that say nothing of each other: if they can't hold at once, those of one can't.
    pub(super) fn parts(&mut self, terms: &mut Terms, conditions: &[Term]) -> Vec<Vec<Term>> {
        let (mut left, mut parts) = (conditions.to_vec(), Vec::new());
        while let Some(condition) = left.pop() {
            let part = self.choose(terms, &left, condition);
            left.retain(|other| !part.contains(other));
            parts.push(part);
        }
        parts.sort_by_key(Vec::len);
        parts
    }

    /// The condition and those that have a word in common with it.
    pub(super) fn near(&mut self, terms: &Terms, conditions: &[Term], condition: Term) -> Vec<Term> {
        let wanted = self.atoms(terms, condition);
        let mut chosen = vec![condition];
        for other in conditions {
            if self.atoms(terms, *other).iter().any(|atom| wanted.binary_search(atom).is_ok()) {
                chosen.push(*other);
            }
        }
        chosen
    }

    fn atoms(&mut self, terms: &Terms, term: Term) -> Rc<[Term]> {
        let found = self.atoms.entry(term);
        found.or_insert_with(|| terms.atoms(&[term], Opaque::Nothing).into()).clone()
    }

    /// 1 where two words of one function are the same by their operands.
    fn same(&mut self, terms: &mut Terms, a: Term, b: Term) -> Term {
        if self.same.len() >= MAX_PAIRS {
            self.same.clear();
        }
        let found = self.same.entry((a.min(b), a.max(b)));
        *found.or_insert_with(|| terms.same_operands(a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Leaf, Space};

    #[test]
    fn words_under_other_slots_say_nothing() {
        let mut terms = Terms::default();
        let [who, other] = [0, 1].map(|number| terms.leaf(Leaf::Any(number, 160), &[]));
        let keys = [(who, 1), (other, 1), (who, 2)];
        let [balance, others, allowance] = keys.map(|(key, slot)| {
            let slot = terms.number(slot);
            let hash = terms.hash(64, &[key, slot]);
            terms.leaf(Leaf::Held(Space::Storage, 0), &[hash])
        });
        let limit = terms.number(100);
        let [first, second, third] = [balance, others, allowance].map(|word| terms.lt(word, limit));
        let differ = terms.eq(who, other);
        let mut relevance = Relevance::default();
        let conditions = [second, third];
        // The second lies under the same slot, and keys may be the same.
        assert_eq!(relevance.choose(&mut terms, &conditions, first), [first, second]);
        // What is said of the keys counts then, too.
        assert_eq!(relevance.choose(&mut terms, &[second, differ], first).len(), 3);
        assert_eq!(relevance.choose(&mut terms, &[differ], third), [third]);
        assert_eq!(relevance.near(&terms, &conditions, first), [first]);
    }

    /// Of very many words that may be the same all conditions are taken.
    #[test]
    fn many_words_are_not_compared() {
        let mut terms = Terms::default();
        let mut held = |number: u32| {
            let key = terms.leaf(Leaf::Any(number, 64), &[]);
            let word = terms.leaf(Leaf::Held(Space::Storage, 0), &[key]);
            terms.is_zero(word)
        };
        let conditions: Vec<Term> = (1..600).map(&mut held).collect();
        let first = held(0);
        let other = terms.leaf(Leaf::Any(1000, 64), &[]);
        let apart = terms.is_zero(other);
        let mut relevance = Relevance::default();
        let all = [&conditions[..], &[apart]].concat();
        assert_eq!(relevance.choose(&mut terms, &all, first).len(), 601);
        // Of few only those that say something.
        assert_eq!(relevance.choose(&mut terms, &all[500..], first).len(), 100);
    }

    #[test]
    fn parts_say_nothing_of_each_other() {
        let mut terms = Terms::default();
        let [a, b, c] = [0, 1, 2].map(|number| terms.leaf(Leaf::Any(number, 64), &[]));
        let (first, second, third) = (terms.lt(a, b), terms.lt(b, a), terms.is_zero(c));
        let mut relevance = Relevance::default();
        let parts = relevance.parts(&mut terms, &[first, third, second]);
        assert_eq!(parts, [vec![third], vec![second, first]]);
    }
}
