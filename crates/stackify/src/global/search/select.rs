//! Which states go on: the best few with different stacks, by what they cost and are going to cost.

use super::arrange::LAZY_HEIGHT;
use super::forecast::Forecast;
use super::future::Needed;
use super::setup::{Needs, count};
use super::state::{BlockCx, Search, State};
use crate::global::stack::shuffle::Prices;
use crate::global::stack::slot::{Slot, SlotSet};
use smallvec::SmallVec;

/// Items ahead after which a word out of reach counts half.
const FORECAST_RANGE: u32 = 32;

impl Search<'_> {
    /// Keeps the best states with different stacks.
    pub(super) fn select(&mut self) {
        if let Some(limit) = self.cx.limit {
            self.states.retain(|state| state.cost < limit);
        }
        if self.states.len() < 2 {
            return;
        }
        let mut by_cost: SmallVec<[(u64, u32); 64]> = SmallVec::new();
        by_cost.extend(self.states.iter().zip(0..).map(|(state, at)| (state.cost, at)));
        by_cost.sort_unstable();
        let mut kept = self.find_kept(&by_cost);
        kept.sort_unstable();
        kept.truncate(self.cx.width);
        // `next` is free between items: the kept ones go there.
        for (_, at) in kept {
            self.next.push(std::mem::replace(&mut self.states[at as usize], State::start(&[], 0, 0)));
        }
        self.states.clear();
        std::mem::swap(&mut self.states, &mut self.next);
    }

    /// The states that can be among the best, with what they cost in all, and some more: of those
    /// with the same stack the cheapest, none much dearer than the best.
    fn find_kept(&mut self, by_cost: &[(u64, u32)]) -> SmallVec<[(u64, u32); 64]> {
        let needed = Needed { future: self.future, homes: self.cx.prices.homes };
        let half = |halves: u64| halves * u64::from(self.cx.prices.swap()) / 2;
        let margin = self.cx.margin_halves.map_or(u64::MAX, half);
        let mut most = u64::MAX;
        let mut kept: SmallVec<[(u64, u32); 64]> = SmallVec::new();
        for (cost, at) in by_cost {
            // The outlook only adds to it.
            if *cost > most {
                break;
            }
            let stack = &self.states[*at as usize].stack;
            let is_same = |other: &(u64, u32)| {
                let other = &self.states[other.1 as usize].stack;
                // Most differ near the top.
                stack.len() == other.len() && stack.iter().rev().eq(other.iter().rev())
            };
            if kept.iter().any(is_same) {
                continue;
            }
            let outlook = outlook(stack, &needed, &self.cx);
            self.states[*at as usize].outlook = outlook;
            let total = cost.saturating_add(outlook);
            kept.push((total, *at));
            most = most.min(total.saturating_add(margin));
        }
        kept.retain(|(total, _)| *total <= most);
        kept
    }
}

/// What a stack is going to cost beyond the uses that all states have in common: dead words must
/// be removed, far words are at risk.
pub(super) fn outlook(stack: &[Slot], needed: &Needed<'_>, cx: &BlockCx<'_>) -> u64 {
    let height = stack.len();
    let dead = match cx.is_lazy {
        true if height > LAZY_HEIGHT => 2 * (cx.prices.pop() + cx.prices.swap()),
        true => 1,
        false => cx.prices.pop() + cx.prices.swap() / 2,
    };
    let far = usize::from(cx.prices.reach.dup).saturating_sub(3);
    let mut above = SlotSet::default();
    let mut cost = 0;
    for (at, slot) in stack.iter().enumerate().rev() {
        let need = needed.need(*slot);
        let is_dead = need == 0 || (!above.insert(*slot) && count(&stack[at + 1..], *slot) >= need);
        if is_dead {
            cost += dead;
        } else if cx.is_crowded {
            cost += risk(stack, at, &needed.future.forecast, cx);
        } else if height - at > far && *slot != Slot::RETURN_ADDRESS {
            cost += cx.prices.swap();
        }
    }
    u64::from(cost)
}

/// What the word at `at` may cost because it may be out of reach at its next use.
fn risk(stack: &[Slot], at: usize, forecast: &Forecast, cx: &BlockCx<'_>) -> u32 {
    let slot = stack[at];
    if slot == Slot::RETURN_ADDRESS {
        return 0;
    }
    let depth = (stack.len() - at) as i32;
    let excess = depth + forecast.growth_until_use(slot) - i32::from(cx.prices.reach.dup);
    if excess <= 0 {
        return 0;
    }
    let weight = 16 * FORECAST_RANGE / (FORECAST_RANGE + forecast.distance(forecast.next_use(slot)));
    cx.prices.swap() * (excess as u32).min(8) * (1 + weight)
}
