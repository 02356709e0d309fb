//! The comparisons of a path in the light of those that came later.
//!
//! A condition is written down as it is when it comes. What later ones say of its words changes how it looks: a word
//! below 2^64 is its lower half from then on. So that the same comparison is found again when it is asked for, those
//! of the list are looked at anew, once for each that is added, and when one is wanted.

use super::bounds::Conditions;
use crate::term::{Node, Term, Terms};
use cairn_evm::Opcode;
use rustc_hash::FxHashMap;

impl Conditions {
    /// Whether a simplified condition, 0 or 1, is a comparison of the list, and holds.
    pub(super) fn decide_as_renewed(&self, terms: &mut Terms, simple: Term) -> Option<bool> {
        let renewed = match self.renewed.get() {
            Some(renewed) => renewed,
            None => {
                let found = self.renew(terms);
                self.renewed.get_or_init(|| found)
            }
        };
        let (compared, truth) = compared(terms, simple);
        renewed.get(&compared).map(|holds| *holds == truth)
    }

    fn renew(&self, terms: &mut Terms) -> FxHashMap<Term, bool> {
        let mut found = FxHashMap::default();
        for condition in self.list() {
            let (condition, truth) = compared(terms, *condition);
            let Node::Op(opcode @ (Opcode::LT | Opcode::SLT | Opcode::EQ), args) =
                terms.node(condition).clone()
            else {
                continue;
            };
            let simple: Vec<Term> = args.iter().map(|arg| self.simplify(terms, *arg)).collect();
            let Some(made) = terms.apply(opcode, &simple) else { continue };
            let (made, when_made) = compared(terms, made);
            found.insert(made, when_made == truth);
        }
        found
    }
}

/// A condition without its negations, and what that is when the condition holds.
fn compared(terms: &Terms, condition: Term) -> (Term, bool) {
    let (mut condition, mut truth) = (condition, true);
    while let Some(other) = terms.negated(condition) {
        (condition, truth) = (other, !truth);
    }
    (condition, truth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Leaf;

    #[test]
    fn what_was_compared_before_it_was_bounded_is_known() {
        let mut terms = Terms::default();
        let [x, y] = [0, 1].map(|number| terms.leaf(Leaf::Any(number, 256), &[]));
        let less = terms.lt(x, y);
        let bound = terms.number(1000);
        let is_small = terms.lt(x, bound);
        for holds in [true, false] {
            let first = if holds { less } else { terms.is_zero(less) };
            let mut conditions = Conditions::default();
            conditions.assume(&mut terms, first);
            conditions.assume(&mut terms, is_small);
            let simple = conditions.simplify(&mut terms, x);
            let (again, reverse) = (terms.lt(simple, y), terms.lt(y, simple));
            assert!(simple != x);
            assert_eq!(conditions.decide_as_renewed(&mut terms, again), Some(holds));
            let negation = terms.is_zero(again);
            assert_eq!(conditions.decide_as_renewed(&mut terms, negation), Some(!holds));
            assert_eq!(conditions.decide_as_renewed(&mut terms, reverse), None);
        }
    }
}
