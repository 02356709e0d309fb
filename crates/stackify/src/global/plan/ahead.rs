//! What a stack leads to: a narrow search of the block that comes next, before there is a plan.
//!
//! Where blocks merge, stacks that cost the same to reach differ in what the block makes of them;
//! where a function starts, so do the orders of its parameters. Only blocks of moderate size are
//! looked at, so a block is searched a bounded number of times more.

use super::block::SearchMode;
use super::planner::{End, Planner};
use crate::global::facts::order::{Item, arrange_block};
use crate::global::search::state::State;
use crate::global::stack::shuffle::Unreachable;
use crate::global::stack::slot::Stack;
use cairn_ir::Block;

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
        if ahead.items.len() > self.facts.effort().max_ahead_items {
            return 0;
        }
        let mark = self.trail.len();
        let states = self.search_ahead(ahead, entry, limit);
        let cost = states.map_or(u64::MAX, |states| self.price_end(ahead.block, &states, &ahead.end).0);
        self.trail.truncate(mark);
        cost
    }

    fn search_ahead(&mut self, ahead: &Ahead, entry: &Stack, limit: u64) -> Result<Vec<State>, Unreachable> {
        let Ahead { block, items, end } = ahead;
        self.search_block(*block, &[State::start(entry, 0, 0)], items, end, SearchMode::Ahead(limit))
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
        let states = self.search_ahead(ahead, entry, limit);
        let cost = states.map_or(u64::MAX, |states| self.price_next(&states, next, limit));
        self.trail.truncate(mark);
        cost
    }

    /// What the best of these states and these blocks from there cost together; at most `limit`.
    fn price_next(&mut self, states: &[State], next: &[Ahead], limit: u64) -> u64 {
        let mut least = limit;
        for state in states {
            let mut cost = state.cost;
            for ahead in next {
                if cost < least {
                    cost = cost.saturating_add(self.price_ahead(ahead, &state.stack, least - cost));
                }
            }
            least = least.min(cost);
        }
        least
    }
}
