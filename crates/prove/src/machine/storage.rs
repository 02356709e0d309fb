//! Reading spaces of keys.

use super::state::{State, Store};
use super::{Machine, Step};
use crate::term::{Leaf, Term};

impl Machine {
    /// The word at a key.
    pub(crate) fn load_key(&mut self, state: &State, store: &Store, key: Term) -> Step<Term> {
        let key = state.conditions.simplify(&mut self.terms, key);
        let mut choices = Vec::new();
        let mut found = None;
        for update in store.updates() {
            let is_same = self.terms.eq(key, update.key);
            if !self.is_possible(state, is_same)? {
                continue;
            }
            if self.is_certain(state, is_same)? {
                found = Some(update.value);
                break;
            }
            choices.push((is_same, update.value));
        }
        let mut result = match found {
            Some(value) => value,
            None => self.terms.leaf(Leaf::Held(store.space, store.calls), &[key]),
        };
        for (is_same, value) in choices.into_iter().rev() {
            result = self.terms.ite(is_same, value, result);
        }
        Ok(result)
    }
}
