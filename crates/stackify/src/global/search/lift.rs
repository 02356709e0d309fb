//! Words that are going to be out of reach, brought nearer in time.

use super::future::Needed;
use super::setup::Needs;
use super::state::Search;
use crate::global::stack::shuffle::{Move, Moves, Prices};
use crate::global::stack::slot::{Slot, Stack};

impl Search<'_> {
    /// Offers stacks in which the word that is going to be out of reach first has changed places
    /// with the reachable one that is used last.
    pub(super) fn lift(&mut self) {
        let states = self.states.len();
        for at in 0..states {
            let mut state = self.states[at].clone();
            for _ in 0..self.cx.effort.max_lifted {
                let Some((deep, high)) = self.exchange(&state.stack) else {
                    break;
                };
                let top = state.stack.len() - 1;
                let (from_deep, from_high) = ((top - deep) as u16, (top - high) as u16);
                let moves: Moves = match from_high {
                    0 => smallvec::smallvec![Move::Swap(from_deep)],
                    _ => [from_high, from_deep, from_high].into_iter().map(Move::Swap).collect(),
                };
                state.stack.swap(deep, high);
                state.cost += u64::from(self.cx.prices.swap()) * moves.len() as u64;
                state.last = self.trail.extend(state.last, &moves);
                self.states.push(state.clone());
            }
        }
        if self.states.len() > states {
            self.select();
        }
    }

    /// Positions of two words to exchange.
    fn exchange(&self, stack: &Stack) -> Option<(usize, usize)> {
        let needed = Needed { future: self.future, homes: self.cx.prices.homes };
        let forecast = &self.future.forecast;
        let reach = self.cx.prices.reach;
        let lowest = stack.len().saturating_sub(usize::from(reach.swap) + 1);
        let is_last_copy = |at: &usize| !stack[at + 1..].contains(&stack[*at]);
        let excess = |at: usize, slot: Slot| {
            let depth = (stack.len() - at) as i32;
            depth + forecast.growth_until_use(slot) - i32::from(reach.dup)
        };
        let endangered = (lowest..stack.len())
            .filter(|at| needed.need(stack[*at]) > 0 && is_last_copy(at) && excess(*at, stack[*at]) > 0)
            .min_by_key(|at| forecast.next_use(stack[*at]))?;
        let urgent = forecast.next_use(stack[endangered]);
        let is_bound = |at: &usize| self.future.is_bound(stack[*at]);
        let other = (endangered + 1..stack.len())
            .filter(|at| !is_bound(at) && excess(*at, stack[endangered]) <= 0)
            .max_by_key(|at| (forecast.next_use(stack[*at]), *at))?;
        (forecast.next_use(stack[other]) > urgent || needed.need(stack[other]) == 0)
            .then_some((endangered, other))
    }
}
