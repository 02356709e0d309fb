//! Plans a function: entry stacks of blocks, actions of each block, and what it all costs.
//!
//! Blocks are taken in reverse postorder. A block behind a two-way branch inherits the stack of its
//! only predecessor; the one that is entered more often is planned together with it (module
//! [`chain`]). The entry stack of a merge is chosen when all its forward predecessors are
//! searched: each offers the stack it would leave, with and without its dead words, and the one
//! that is cheapest to reach from all of them and to go on from wins. Back edges must then reach
//! it, so a loop is planned on trial from several entry stacks first (module
//! [`trial`]).

mod ahead;
mod block;
mod chain;
mod end;
mod entry;
pub(crate) mod params;
pub(crate) mod planner;
mod reorder;
mod trial;

use super::facts::func::FuncFacts;
use super::stack::shuffle::Unreachable;
use super::stack::slot::Stack;
use cairn_ir::Block;
use planner::{Plan, Planner, Stuck};

/// Plans a function.
pub(crate) fn plan(facts: &FuncFacts<'_>) -> Result<Plan, Stuck> {
    let mut planner = Planner::new(facts);
    for block in &facts.graph.order {
        let result = planner.choose_entry(*block).and_then(|()| planner.plan_block(*block));
        result.map_err(|far| Stuck { far, above: planner.words_above(*block, far), block: *block })?;
    }
    let index = &facts.graph.index;
    planner.plan.blocks.sort_by_key(|plan| index[plan.block]);
    Ok(planner.plan)
}

impl Planner<'_> {
    /// The entry stack of the block from the far word up, or all of it.
    fn words_above(&self, block: Block, far: Unreachable) -> Stack {
        let stack = self.entry[block].clone().unwrap_or_default();
        let from = stack.iter().position(|slot| *slot == far.slot).unwrap_or(0);
        stack[from..].iter().copied().collect()
    }
}
