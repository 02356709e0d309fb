//! Which states go on: the best few with different stacks, by what they cost and are going to cost.

use super::arrange::LAZY_HEIGHT;
use super::future::Needed;
use super::setup::Needs;
use super::state::{BlockCx, Search};
use crate::global::stack::shuffle::Prices;
use crate::global::stack::slot::{Slot, Stack};
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
        self.next.extend(kept.iter().map(|(_, at)| self.states[*at as usize].clone()));
        self.states.clear();
        std::mem::swap(&mut self.states, &mut self.next);
    }

    /// The states that can be among the best, with what they cost in all, and some more: of those
    /// with the same stack the cheapest, none much dearer than the best.
    fn find_kept(&mut self, by_cost: &[(u64, u32)]) -> SmallVec<[(u64, u32); 64]> {
        let needed = Needed { future: self.future, homes: self.cx.prices.homes };
        let margin = match self.cx.is_crowded {
            true => u64::MAX,
            false => self.cx.effort.margin_halves * u64::from(self.cx.prices.swap()) / 2,
        };
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
pub(super) fn outlook(stack: &Stack, needed: &Needed<'_>, cx: &BlockCx<'_>) -> u64 {
    let mut cost = 0;
    let height = stack.len();
    let far = usize::from(cx.prices.reach.dup).saturating_sub(3);
    let forecast = &needed.future.forecast;
    for (at, slot) in stack.iter().enumerate() {
        let is_dead = match needed.need(*slot) {
            0 => true,
            1 => stack[at + 1..].contains(slot),
            need => stack[at + 1..].iter().filter(|other| *other == slot).count() >= need,
        };
        let depth = height - at;
        if is_dead {
            cost += match cx.is_lazy {
                true if height > LAZY_HEIGHT => 2 * (cx.prices.pop() + cx.prices.swap()),
                true => 1,
                false => cx.prices.pop() + cx.prices.swap() / 2,
            };
        } else if cx.is_crowded && *slot != Slot::RETURN_ADDRESS {
            let next = forecast.next_use(*slot);
            let excess = depth as i32 + forecast.growth_until_use(*slot) - i32::from(cx.prices.reach.dup);
            if excess > 0 {
                let weight = 16 * FORECAST_RANGE / (FORECAST_RANGE + forecast.distance(next));
                cost += cx.prices.swap() * (excess as u32).min(8) * (1 + weight);
            }
        } else if depth > far && *slot != Slot::RETURN_ADDRESS {
            cost += cx.prices.swap();
        }
    }
    u64::from(cost)
}
