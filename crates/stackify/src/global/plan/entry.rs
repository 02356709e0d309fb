//! The entry stacks of blocks: offers of the predecessors, priced.

use super::planner::Planner;
use crate::code::Exit;
use crate::global::facts::edges::DeadWords;
use crate::global::stack::shuffle::{Moves, Prices, Unreachable, shuffle};
use crate::global::stack::slot::{Slot, Stack};
use cairn_ir::Block;

impl Planner<'_> {
    pub(crate) fn choose_entry(&mut self, block: Block) -> Result<(), Unreachable> {
        if self.entry[block].is_some() {
            return Ok(());
        }
        let facts = self.facts;
        if block == facts.graph.order[0] {
            self.set_entry(block, self.function_entry(block));
            return Ok(());
        }
        let forward = |pred: &&Block| !facts.graph.is_back_edge(**pred, block);
        let preds: Vec<Block> = facts.graph.preds[block].iter().filter(forward).copied().collect();
        let layout = match self.try_loop(block, &preds) {
            Some(layout) => layout,
            None => self.choose_layout(block, &preds)?,
        };
        for pred in preds {
            let states = std::mem::take(&mut self.waiting[pred]);
            let target = facts.edge_target(pred, block, &layout);
            self.finish(pred, states, Some(&target), Exit::Jump(block))?;
        }
        self.set_entry(block, layout);
        Ok(())
    }

    /// The offer that is cheapest to reach from all predecessors and to go on from.
    fn choose_layout(&mut self, block: Block, preds: &[Block]) -> Result<Stack, Unreachable> {
        let offers = self.offers_for(block, preds);
        let ahead = (offers.len() > 1).then(|| self.view(block));
        let mut best: Option<(u64, Stack)> = None;
        let mut failure = None;
        for offer in offers {
            match self.price_entry(block, preds, &offer) {
                Ok(mut cost) => {
                    if let Some(ahead) = &ahead {
                        let limit = best.as_ref().map_or(u64::MAX, |(least, _)| *least);
                        cost =
                            cost.saturating_add(self.price_ahead(ahead, &offer, limit.saturating_sub(cost)));
                    }
                    if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                        best = Some((cost, offer));
                    }
                }
                Err(far) => failure = Some(far),
            }
        }
        best.map(|(_, layout)| layout).ok_or_else(|| failure.expect("invariant: a merge has an offer"))
    }

    pub(crate) fn set_entry(&mut self, block: Block, layout: Stack) {
        if let Some(trial) = &mut self.trial {
            trial.entered.push(block);
        }
        self.entry[block] = Some(layout);
    }

    pub(crate) fn function_entry(&self, block: Block) -> Stack {
        let facts = self.facts;
        let convention = &facts.cx.conventions[facts.cx.own];
        let params = facts.func.dfg.params(block);
        let mut stack = Stack::new();
        if convention.returns && facts.cx.module.module.entry != Some(facts.cx.own) {
            stack.push(Slot::RETURN_ADDRESS);
        }
        stack.extend(convention.params.iter().map(|index| Slot::value(params[*index as usize])));
        stack
    }

    pub(crate) fn offers_for(&self, block: Block, preds: &[Block]) -> Vec<Stack> {
        let mut offers: Vec<Stack> = Vec::new();
        let mut add = |offer: Stack| {
            if !offers.contains(&offer) {
                offers.push(offer);
            }
        };
        for pred in preds.iter().take(self.facts.effort().max_offering) {
            let Some(state) = self.waiting[*pred].first() else {
                continue;
            };
            add(self.facts.project(*pred, block, &state.stack, DeadWords::Go));
            add(self.facts.project(*pred, block, &state.stack, DeadWords::Stay));
        }
        offers
    }

    /// What it costs all predecessors to leave `layout`, and the block to drop its junk.
    pub(crate) fn price_entry(
        &self,
        block: Block,
        preds: &[Block],
        layout: &Stack,
    ) -> Result<u64, Unreachable> {
        let facts = self.facts;
        let mut total: u64 = 0;
        for pred in preds {
            let target = facts.edge_target(*pred, block, layout);
            let prices = facts.prices(*pred);
            let mut least = None;
            let mut failure = None;
            for state in &self.waiting[*pred] {
                let mut stack = state.stack.clone();
                match shuffle(&mut stack, &target, &prices, &mut Moves::new()) {
                    Ok(cost) => {
                        let cost = state.cost + u64::from(cost);
                        least = Some(least.map_or(cost, |least: u64| least.min(cost)));
                    }
                    Err(far) => failure = Some(far),
                }
            }
            total += least.ok_or_else(|| failure.expect("invariant: a predecessor has states"))?;
        }
        if facts.graph.returning.contains(block) {
            let prices = facts.prices(block);
            let junk = layout.iter().filter(|slot| **slot == Slot::JUNK).count() as u64;
            total += junk * u64::from(prices.pop() + prices.swap() / 2);
        }
        Ok(total)
    }
}
