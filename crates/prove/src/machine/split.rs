//! Questions with choices in them, taken apart: one for each way in which a choice can go.
//!
//! A word that is read behind a store under a key that may be the same is a choice by whether it is. Where it is,
//! the path says that the keys are equal, and all words under them are read again in that light; where it
//! is not, the choice is gone. So what a solver would find by adding numbers bit by bit is often plain in each
//! case. What is impossible in every case is impossible, and what is possible in one is possible.

use super::bounds::Conditions;
use super::{Machine, Step};
use crate::order::is_impossible;
use crate::smt::{Answer, Exactness};
use crate::term::{Node, Opaque, Term};
use std::time::Duration;

/// Choices that are taken apart, one inside of the other.
const DEPTH: usize = 4;

impl Machine {
    /// Whether all conditions can hold at once: the first is what is asked for.
    pub(super) fn ask_by_cases(&mut self, relevant: &[Term], limit: Duration) -> Step<Answer> {
        if self.choice(relevant).is_some() {
            let answer = self.solver.answer_alone(&self.terms, relevant, Exactness::Abstract);
            if !matches!(answer, Answer::Unknown) {
                return Ok(answer);
            }
        }
        let end = self.elapsed() + limit;
        self.cases(relevant, DEPTH, end)
    }

    fn cases(&mut self, all: &[Term], depth: usize, end: Duration) -> Step<Answer> {
        self.check_time()?;
        let choice = if depth > 0 { self.choice(all) } else { None };
        let Some(choice) = choice else {
            let left = end.saturating_sub(self.elapsed());
            return Ok(match left.is_zero() {
                true => Answer::Unknown,
                false => self.solver.ask(&mut self.terms, all, Exactness::Abstract, left),
            });
        };
        let mut answer = Answer::Impossible;
        for case in [choice, self.terms.is_zero(choice)] {
            let Some(conditions) = self.in_case(all, case) else { continue };
            match self.cases(&conditions, depth - 1, end)? {
                Answer::Impossible => {}
                Answer::Possible(model) => return Ok(Answer::Possible(model)),
                Answer::Unknown => answer = Answer::Unknown,
            }
        }
        Ok(answer)
    }

    /// By what a word in the conditions is chosen.
    fn choice(&self, all: &[Term]) -> Option<Term> {
        // The oldest, of which others are made.
        let below = self.terms.below_to_atoms(all, Opaque::Nothing);
        let choices = below.into_iter().filter_map(|term| match self.terms.node(term) {
            Node::Ite([condition, ..]) => Some(*condition),
            _ => None,
        });
        choices.min()
    }

    /// The conditions in the light of one more; `None` if they can't hold then.
    fn in_case(&mut self, all: &[Term], case: Term) -> Option<Vec<Term>> {
        let mut conditions = Conditions::default();
        conditions.assume(&mut self.terms, case);
        // What was asked for comes last: the others say what it is.
        for condition in all.iter().skip(1).chain(all.first()) {
            conditions.assume(&mut self.terms, *condition);
            if conditions.list().last() == Some(&self.terms.zero) {
                return None;
            }
        }
        let found: Vec<Term> = conditions.list().iter().rev().copied().collect();
        (!is_impossible(&self.terms, &found)).then_some(found)
    }
}
