//! What a stack leads to: a narrow search of the block that comes next, before there is a plan.
//!
//! Where a block branches, states that cost the same so far differ in what their words cost later;
//! where blocks merge, stacks differ in what the block makes of them. Only hot blocks of moderate
//! size are looked at, so a block is searched a bounded number of times more.

use super::order::{Item, arrange_block};
use super::plan::{Effort, End, Planner};
use super::search::State;
use super::slot::Stack;
use cairn_ir::Block;

/// Items of a block that is looked at.
const MAX_ITEMS: usize = 32;

/// A block that is looked at.
pub(crate) struct Ahead {
    block: Block,
    /// What it does.
    pub(crate) items: Vec<Item>,
    /// How it ends.
    pub(crate) end: End,
}

impl Planner<'_> {
    /// A block to be priced from several stacks.
    pub(crate) fn view(&self, block: Block) -> Ahead {
        let cx = self.facts.order_cx();
        Ahead { block, items: arrange_block(&cx, block).items(&cx), end: self.block_end(block) }
    }

    /// What a block costs from this stack, as far as known; 0 for all stacks if it is too large.
    /// Gives up at `limit`.
    pub(crate) fn price_ahead(&mut self, ahead: &Ahead, entry: &Stack, limit: u64) -> u64 {
        let Ahead { block, items, end } = ahead;
        if items.len() > MAX_ITEMS {
            return 0;
        }
        let mark = self.trail.len();
        let states = self.search_block(*block, entry, items, end, Effort::Ahead(limit));
        let cost = states.map_or(u64::MAX, |states| self.price_end(*block, &states, end).0);
        self.trail.truncate(mark);
        cost
    }

    /// Puts the state first from which the hot ones of the successors are cheapest. Trials go on
    /// from the cheapest so far.
    pub(crate) fn look_ahead(&mut self, mut states: Vec<State>, successors: [Block; 2]) -> Vec<State> {
        if states.len() < 2 || self.trial.is_some() {
            return states;
        }
        let hot = self.view_hot(successors);
        let (_, best) = self.find_best(&states, &hot, u64::MAX);
        states.swap(0, best);
        states
    }

    /// The blocks that are not cold.
    pub(crate) fn view_hot(&self, blocks: [Block; 2]) -> Vec<Ahead> {
        let is_hot = |block: &Block| !self.facts.graph.cold.contains(*block);
        blocks.into_iter().filter(is_hot).map(|block| self.view(block)).collect()
    }

    /// What a block and the ones after it cost from this stack, or at least `limit`.
    pub(crate) fn price_start(&mut self, ahead: &Ahead, next: &[Ahead], entry: &Stack, limit: u64) -> u64 {
        if next.is_empty() {
            return self.price_ahead(ahead, entry, limit);
        }
        let mark = self.trail.len();
        let Ahead { block, items, end } = ahead;
        let states = self.search_block(*block, entry, items, end, Effort::Ahead(limit));
        let cost = states.map_or(u64::MAX, |states| self.find_best(&states, next, limit).0);
        self.trail.truncate(mark);
        cost
    }

    /// The state from which these blocks are cheapest, with what it costs with them; the first if
    /// none costs less than `limit`.
    fn find_best(&mut self, states: &[State], next: &[Ahead], limit: u64) -> (u64, usize) {
        let mut best = (limit, 0);
        for (at, state) in states.iter().enumerate() {
            let mut cost = state.cost;
            for ahead in next {
                if cost < best.0 {
                    cost = cost.saturating_add(self.price_ahead(ahead, &state.stack, best.0 - cost));
                }
            }
            if cost < best.0 {
                best = (cost, at);
            }
        }
        best
    }
}
