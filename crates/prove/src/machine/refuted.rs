//! Conditions that were found not to hold, with those that say so: where these hold again, it is known.
//!
//! The tested program is run anew under each path of the reference, and the conditions of paths have much in
//! common: most questions were put before, with fewer conditions.

use super::bounds::Conditions;
use crate::term::Term;
use rustc_hash::FxHashMap;

/// Reasons that are kept of a condition.
const MAX_REASONS: usize = 8;

/// What was found of conditions.
#[derive(Default)]
pub(super) struct Refuted {
    reasons: FxHashMap<Term, Vec<Vec<Term>>>,
}

impl Refuted {
    /// Takes note of a condition that does not hold where all of these hold; it may be among them.
    pub(super) fn note(&mut self, condition: Term, all: &[Term]) {
        let reasons = self.reasons.entry(condition).or_default();
        if reasons.len() < MAX_REASONS {
            reasons.push(all.iter().copied().filter(|other| *other != condition).collect());
        }
    }

    /// True if a condition was found not to hold where some of these hold.
    pub(super) fn is_known(&self, conditions: &Conditions, condition: Term) -> bool {
        let holds = |reason: &Vec<Term>| reason.iter().all(|other| conditions.has(*other));
        self.reasons.get(&condition).is_some_and(|reasons| reasons.iter().any(holds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Leaf, Terms};

    #[test]
    fn all_reasons_have_to_hold() {
        let mut terms = Terms::default();
        let [a, b, c] = [0, 1, 2].map(|number| terms.leaf(Leaf::Any(number, 1), &[]));
        let mut refuted = Refuted::default();
        refuted.note(c, &[c, a, b]);
        let mut conditions = Conditions::default();
        conditions.assume(&mut terms, a);
        assert!(!refuted.is_known(&conditions, c));
        conditions.assume(&mut terms, b);
        assert!(refuted.is_known(&conditions, c));
        assert!(!refuted.is_known(&conditions, a));
    }
}
