//! Words of which a solver knows too little: products and quotients in questions to which it had no answer.
//!
//! After two such questions whether a path can go a way is no longer asked where the condition is made of these words:
//! it can, unless the order of sums says that it can't. Where a condition is not, it is asked in the light of those that
//! are not. Both say less: a path that no run goes is looked at in vain, and its ends are compared as others are.

use crate::term::{Node, Term, Terms, is_hard};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// Questions without an answer before words are given up.
const MAX_UNANSWERED: u32 = 2;

/// The words that are given up.
#[derive(Default)]
pub(super) struct Hard {
    unanswered: u32,
    words: FxHashSet<Term>,
    /// Conditions by whether one of the words is in them.
    known: RefCell<FxHashMap<Term, bool>>,
}

impl Hard {
    /// Takes note of a question without an answer.
    pub(super) fn note(&mut self, terms: &Terms, conditions: &[Term]) {
        self.unanswered += 1;
        if self.unanswered < MAX_UNANSWERED {
            return;
        }
        let is_hard = |term: &Term| matches!(terms.node(*term), Node::Op(opcode, _) if is_hard(*opcode));
        let before = self.words.len();
        self.words.extend(terms.below(conditions).into_iter().filter(is_hard));
        if self.words.len() > before {
            self.known.borrow_mut().clear();
        }
    }

    /// True if a condition is made of such a word.
    pub(super) fn is_made_of_some(&self, terms: &Terms, condition: Term) -> bool {
        if self.words.is_empty() {
            return false;
        }
        let find = || terms.below(&[condition]).iter().any(|term| self.words.contains(term));
        *self.known.borrow_mut().entry(condition).or_insert_with(find)
    }

    /// The conditions that are not.
    pub(super) fn without(&self, terms: &Terms, conditions: &[Term]) -> Vec<Term> {
        let is_easy = |condition: &&Term| !self.is_made_of_some(terms, **condition);
        conditions.iter().filter(is_easy).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Leaf;

    #[test]
    fn words_are_given_up_after_some_questions() {
        let mut terms = Terms::default();
        let [x, y] = [0, 1].map(|number| terms.leaf(Leaf::Any(number, 256), &[]));
        let product = terms.mul(x, y);
        let (hard, easy) = (terms.lt(product, x), terms.lt(x, y));
        let mut found = Hard::default();
        for _ in 1..MAX_UNANSWERED {
            found.note(&terms, &[hard, easy]);
            assert!(!found.is_made_of_some(&terms, hard));
        }
        found.note(&terms, &[hard, easy]);
        assert!(found.is_made_of_some(&terms, hard) && !found.is_made_of_some(&terms, easy));
        assert_eq!(found.without(&terms, &[hard, easy]), [easy]);
        // What comes later is not given up by that.
        let other = terms.mul(y, y);
        let later = terms.lt(other, x);
        assert!(!found.is_made_of_some(&terms, later));
    }
}
