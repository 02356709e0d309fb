//! Chains: blocks that are planned together because each is entered from the one before only.
//!
//! Behind a two-way branch both blocks inherit the stack that the branch leaves. Which of the
//! states at the branch is best shows in the block that comes next, so the search goes on there
//! from several of them, as it does from one item to the next. Of two blocks behind a branch the
//! one that is entered more often is the *heir*; the other takes the stack that the heir chose. A
//! chain ends where no block is entered from its last one only; the best state there decides for
//! all of its blocks. Each block is in one chain, so time stays linear.

use super::planner::{End, Planner};
use crate::global::search::state::State;
use crate::global::stack::shuffle::Unreachable;
use cairn_ir::Block;

/// A block of a chain with its heir.
struct Link {
    block: Block,
    end: End,
    /// What its search began with.
    entries: Vec<State>,
    /// Its last states, the best first.
    states: Vec<State>,
}

impl Link {
    /// What the search of the heir begins with.
    fn passed(&self, count: usize) -> Vec<State> {
        let states = self.states.iter().take(count).zip(0..);
        states.map(|(state, at)| State::start(&state.stack, state.cost, at)).collect()
    }
}

impl Planner<'_> {
    /// Plans a block whose entry was chosen, with those of its chain.
    pub(crate) fn plan_block(&mut self, first: Block) -> Result<(), Unreachable> {
        if self.planned.contains(first) {
            return Ok(());
        }
        let entry = self.entry[first].as_ref().expect("invariant: the entry was chosen");
        let mut entries = vec![State::start(entry, 0, 0)];
        let mut links: Vec<Link> = Vec::new();
        let mut block = first;
        let facts = self.facts;
        let order_cx = facts.order_cx();
        let effort = facts.effort();
        loop {
            self.set_planned(block);
            let end = self.block_end(block);
            let states = self.search_orders(block, &entries, &order_cx, &end)?;
            let link = Link { block, end, entries, states };
            let heir = self
                .heir(&link.end)
                .filter(|_| link.states.len() > 1 && links.len() < effort.max_chain_blocks);
            let Some(heir) = heir else {
                return self.end_chain(links, link);
            };
            entries = link.passed(effort.max_passed_states);
            links.push(link);
            block = heir;
        }
    }

    fn set_planned(&mut self, block: Block) {
        if let Some(trial) = &mut self.trial {
            trial.planned.push(block);
        }
        self.planned.insert(block);
    }

    /// The block behind a branch that is entered more often, if it can be planned next.
    fn heir(&self, end: &End) -> Option<Block> {
        let End::Branch { then, otherwise } = *end else {
            return None;
        };
        let graph = &self.facts.graph;
        let is_more_often = graph.frequency[then] > graph.frequency[otherwise];
        let heir = if is_more_often { then } else { otherwise };
        let is_in_trial = self.trial.as_ref().is_none_or(|trial| trial.members.contains(heir));
        let is_free = is_in_trial && !graph.cold.contains(heir) && !self.facts.is_crowded;
        (is_free && graph.preds[heir].len() == 1).then_some(heir)
    }

    /// Ends all blocks of a chain as the best state of the last one did.
    fn end_chain(&mut self, links: Vec<Link>, last: Link) -> Result<(), Unreachable> {
        let Link { block, end, entries, mut states } = last;
        let (_, best) = self.price_end(block, &states, &end);
        let root = states[best].root;
        states.swap(0, best);
        states.retain(|state| state.root == root);
        let mut at = root as usize;
        states.iter_mut().for_each(|state| state.cost -= entries[at].cost);
        let mut chosen = Vec::new();
        for mut link in links.into_iter().rev() {
            let mut state = link.states.swap_remove(at);
            at = state.root as usize;
            state.cost -= link.entries[at].cost;
            chosen.push((link.block, link.end, state));
        }
        for (block, end, state) in chosen.into_iter().rev() {
            self.end_block(block, end, vec![state])?;
        }
        self.end_block(block, end, states)
    }
}
