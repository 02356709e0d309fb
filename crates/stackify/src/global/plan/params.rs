//! The order in which a function takes its parameters: the one from which it starts cheapest.
//!
//! Callers evaluate most arguments where they are passed and can do so in any order; the function
//! itself finds them in one order at each call. The order is improved by exchanging two at a time;
//! each try is a search of the entry block and of what it branches to. Tries of a function are
//! counted.

use super::planner::{End, Planner};
use crate::code::Convention;
use crate::effort::Effort;
use crate::global::facts::func::FuncFacts;

/// True for functions with parameters that can come in another order.
pub(crate) fn can_change(convention: &Convention, effort: &Effort) -> bool {
    (2..=effort.max_params).contains(&convention.params.len())
}

/// The parameters that a function takes, deepest first.
pub(crate) fn choose_params(facts: &FuncFacts<'_>) -> Vec<u16> {
    let block = facts.graph.order[0];
    let mut params = facts.cx.conventions[facts.cx.own].params.clone();
    let mut planner = Planner::new(facts);
    let ahead = planner.view(block);
    if ahead.items.len() > facts.effort().max_entry_items {
        return params;
    }
    let hot = match ahead.end {
        End::Branch { then, otherwise } => planner.view_hot([then, otherwise]),
        End::Jump(_) | End::Table(_) | End::Halt | End::Leave { .. } => Vec::new(),
    };
    let mut entry = planner.function_entry(block);
    let base = entry.len() - params.len();
    let mut least = planner.price_start(&ahead, &hot, &entry, u64::MAX);
    let pairs = |at: usize| (at + 1..params.len()).map(move |other| (at, other));
    let pairs: Vec<(usize, usize)> = (0..params.len()).flat_map(pairs).collect();
    let (mut next, mut tries) = (0, 0);
    while let Some((a, b)) = pairs.get(next).filter(|_| tries < facts.effort().max_param_orders) {
        (next, tries) = (next + 1, tries + 1);
        entry.swap(base + a, base + b);
        let cost = planner.price_start(&ahead, &hot, &entry, least);
        if cost < least {
            params.swap(*a, *b);
            (least, next) = (cost, 0);
        } else {
            entry.swap(base + a, base + b);
        }
    }
    params
}
