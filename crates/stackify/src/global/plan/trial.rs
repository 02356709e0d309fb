//! Entry stacks of loops, chosen by planning the loop on trial.
//!
//! A loop goes round often, so the order of its header's stack matters to the whole body and to the
//! back edge. Each candidate is priced by what it costs the predecessors to leave it and by a plan
//! of the body with it; what the latch would then leave by itself is the next candidate. Loops
//! inside are planned plainly during a trial and get their own trials later. Work is bounded by a
//! budget of instructions for each function.

use super::planner::{Care, Planner, Trial};
use crate::global::stack::slot::{Slot, Stack};
use cairn_ir::{Block, Value};
use cranelift_entity::EntitySet;

/// A loop as the planner sees it.
struct Loop {
    header: Block,
    /// Blocks in the order of planning.
    body: Vec<Block>,
    members: EntitySet<Block>,
    num_insts: usize,
}

/// Candidates in the order of trial, and what those that were tried cost.
struct Candidates {
    list: Vec<Stack>,
    priced: Vec<Priced>,
}

/// A candidate that was tried.
struct Priced {
    cost: u64,
    /// The part of the predecessors.
    entry_cost: u64,
    stack: Stack,
}

impl Candidates {
    /// What the last of this many that are tried again costs, or the best if none is: dearer ones are of
    /// no use.
    fn worst_kept(&self, count: usize) -> u64 {
        let mut costs: Vec<u64> = self.priced.iter().map(|candidate| candidate.cost).collect();
        costs.sort_unstable();
        costs.get(count.saturating_sub(1)).copied().unwrap_or(u64::MAX)
    }

    fn add(&mut self, stack: Stack) {
        if !self.list.contains(&stack) {
            self.list.push(stack);
        }
    }
}

impl Planner<'_> {
    /// The best entry stack for the header of a loop; none if the block heads no loop or there is
    /// no budget for trials.
    pub(crate) fn try_loop(&mut self, header: Block, preds: &[Block]) -> Option<Stack> {
        if self.trial.is_some() || !self.facts.graph.headers.contains(header) {
            return None;
        }
        let found = self.find_loop(header)?;
        let effort = self.facts.effort();
        let mut candidates = Candidates { list: Vec::new(), priced: Vec::new() };
        for offer in self.offers_for(header, preds) {
            candidates.add(offer);
        }
        let sorted = self.sorted(&found, &candidates.list[0]);
        sorted.into_iter().for_each(|stack| candidates.add(stack));
        let mut at = 0;
        while at < candidates.list.len().min(effort.max_trials) && found.num_insts <= self.trial_budget {
            self.trial_budget -= found.num_insts;
            let stack = candidates.list[at].clone();
            at += 1;
            let Ok(entry_cost) = self.price_entry(header, preds, &stack) else { continue };
            let limit = candidates.worst_kept(effort.max_thorough_trials).saturating_sub(entry_cost);
            let (cost, offer) = self.run_trial(&found, &stack, Care::Quick, limit);
            let Some(cost) = cost.map(|cost| cost + entry_cost) else { continue };
            let is_best = candidates.priced.iter().all(|other| cost < other.cost);
            candidates.priced.push(Priced { cost, entry_cost, stack });
            // What follows from the best comes next.
            if let Some(offer) = offer.filter(|offer| is_best && !candidates.list.contains(offer)) {
                candidates.list.insert(at, offer);
            }
        }
        self.choose_thoroughly(&found, candidates.priced)
    }

    /// The best candidate when the best few are tried with more effort.
    fn choose_thoroughly(&mut self, found: &Loop, mut priced: Vec<Priced>) -> Option<Stack> {
        priced.sort_by_key(|candidate| candidate.cost);
        let effort = self.facts.effort();
        priced.truncate(effort.max_thorough_trials);
        let least = priced.first()?.cost;
        priced.retain(|candidate| {
            (candidate.cost - least).saturating_mul(1000)
                <= least.saturating_mul(effort.thorough_margin_thousandths)
        });
        let is_alone = priced.len() == 1;
        let mut least = u64::MAX;
        for candidate in priced.iter_mut().filter(|_| !is_alone) {
            if found.num_insts <= self.trial_budget {
                self.trial_budget -= found.num_insts;
                let limit = least.saturating_sub(candidate.entry_cost);
                let (cost, _) = self.run_trial(found, &candidate.stack, Care::Thorough, limit);
                candidate.cost = cost.map_or(u64::MAX, |cost| cost + candidate.entry_cost);
            }
            least = least.min(candidate.cost);
        }
        priced.into_iter().min_by_key(|candidate| candidate.cost).map(|best| best.stack)
    }

    /// The blocks from which the header is reached again, none entered but through it.
    fn find_loop(&self, header: Block) -> Option<Loop> {
        let facts = self.facts;
        let graph = &facts.graph;
        let mut members: EntitySet<Block> = EntitySet::new();
        members.insert(header);
        let latches = graph.preds[header].iter().filter(|pred| graph.is_back_edge(**pred, header));
        let mut worklist: Vec<Block> = latches.copied().collect();
        let mut body = vec![header];
        while let Some(block) = worklist.pop() {
            if graph.index[block] < graph.index[header] {
                return None;
            }
            if members.insert(block) {
                body.push(block);
                worklist.extend(&graph.preds[block]);
            }
        }
        body.sort_by_key(|block| graph.index[*block]);
        let num_insts = body.iter().map(|block| facts.func.layout.num_insts_of(*block)).sum();
        Some(Loop { header, body, members, num_insts })
    }

    /// Plans the loop from an entry stack and undoes it: the cost, if less than `limit`, and what a
    /// latch would leave.
    fn run_trial(
        &mut self,
        found: &Loop,
        stack: &Stack,
        care: Care,
        limit: u64,
    ) -> (Option<u64>, Option<Stack>) {
        let (blocks, cost, actions) = (self.plan.blocks.len(), self.plan.cost, self.trail.len());
        self.trial = Some(Trial {
            header: found.header,
            entered: Vec::new(),
            planned: Vec::new(),
            members: found.members.clone(),
            left: Vec::new(),
            care,
            offer: None,
        });
        self.set_entry(found.header, stack.clone());
        let mut plan = || {
            for block in &found.body {
                self.choose_entry(*block).ok()?;
                self.plan_block(*block).ok()?;
                (self.plan.cost - cost < limit).then_some(())?;
            }
            Some(())
        };
        let is_planned = plan().is_some();
        let trial = self.trial.take().expect("invariant: the trial runs");
        let mut total = self.plan.cost - cost;
        for block in trial.left {
            total += std::mem::take(&mut self.waiting[block]).first().map_or(0, |state| state.cost);
        }
        trial.planned.iter().for_each(|block| {
            self.planned.remove(*block);
        });
        trial.entered.iter().for_each(|block| self.entry[*block] = None);
        self.plan.blocks.truncate(blocks);
        self.plan.cost = cost;
        self.trail.truncate(actions);
        (Some(total).filter(|total| is_planned && *total < limit), trial.offer)
    }

    /// Stacks with the words that change in the loop on top, above those that it only reads, above
    /// those that it does not touch.
    fn sorted(&self, found: &Loop, offer: &Stack) -> Vec<Stack> {
        let facts = self.facts;
        let mut used: EntitySet<Value> = EntitySet::new();
        for block in &found.body {
            for inst in facts.func.layout.insts(*block) {
                facts.func.dfg.for_each_use(inst, |value| {
                    used.insert(value);
                });
            }
        }
        let params = facts.func.dfg.params(found.header);
        let rank = |slot: &Slot| match slot.as_value() {
            Some(value) if params.contains(&value) => 3,
            Some(value) if used.contains(value) => 2,
            Some(_) => 1,
            None => 0,
        };
        let mut base = offer.clone();
        base.sort_by_key(rank);
        let fixed = base.iter().filter(|slot| rank(slot) < 3).count();
        let mut stacks = vec![base.clone()];
        let count = (base.len() - fixed).min(facts.effort().max_permuted);
        let top = base.len() - count;
        for order in permutations(count) {
            let mut stack: Stack = base[..top].iter().copied().collect();
            stack.extend(order.iter().map(|at| base[top + at]));
            stacks.push(stack);
        }
        stacks
    }
}

/// All orders of the numbers below `count`, the identity first.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for _ in 0..count {
        let extend = |order: Vec<usize>| {
            let rest: Vec<usize> = (0..count).filter(|at| !order.contains(at)).collect();
            rest.into_iter().map(move |at| order.iter().copied().chain([at]).collect())
        };
        orders = orders.into_iter().flat_map(extend).collect();
    }
    orders
}
