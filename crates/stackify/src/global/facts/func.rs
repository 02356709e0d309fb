//! Everything known of a function before it is planned.

use super::graph::Graph;
use super::homes::Homes;
use super::live::{Liveness, executed};
use super::order::{Item, OrderCx};
use super::prices::{BlockPrices, weights};
use super::shared::shared_constants;
use super::tail_calls::find_tail_calls;
use crate::effort::Effort;
use crate::global::context::Context;
use cairn_ir::{Block, Function, Inst};
use cranelift_entity::EntitySet;

/// Words on the stack at which values go to memory, whether they are in reach in time or not.
const MAX_SPILLING_HEIGHT: usize = 192;
/// The same where nothing may live in memory: what the EVM's stack holds for a function.
const MAX_HEIGHT_WITHOUT_MEMORY: usize = 960;

/// Everything known of a function before it is planned.
pub(crate) struct FuncFacts<'a> {
    pub(crate) cx: &'a Context<'a>,
    pub(crate) func: &'a Function,
    pub(crate) graph: Graph,
    pub(crate) live: Liveness,
    pub(crate) homes: Homes,
    /// Calls that take the place of their function's return.
    pub(crate) tail_calls: EntitySet<Inst>,
    pub(crate) num_insts: usize,
    /// Some constants are on the stack.
    pub(crate) shares_constants: bool,
    /// Words have been out of reach.
    pub(crate) is_crowded: bool,
}

impl<'a> FuncFacts<'a> {
    /// What is known before anything is spilled.
    pub(crate) fn gather(func: &'a Function, cx: &'a Context<'a>) -> FuncFacts<'a> {
        let graph = Graph::compute(func, cx.module);
        let shared = shared_constants(func, &graph, cx);
        let live = Liveness::compute(func, &graph, cx.conventions, &shared);
        let homes = Homes::classify(func, &live, &shared, cx.module.options.fork);
        let tail_calls = find_tail_calls(func, &graph, cx);
        let shares_constants = !shared.is_empty();
        let num_insts = graph.order.iter().map(|block| executed(func, &graph, *block).count()).sum();
        FuncFacts { cx, func, graph, live, homes, tail_calls, num_insts, shares_constants, is_crowded: false }
    }
}

impl FuncFacts<'_> {
    /// How much is tried.
    pub(crate) fn effort(&self) -> &Effort {
        &self.cx.module.options.effort
    }

    /// What the order of blocks is made from.
    pub(crate) fn order_cx(&self) -> OrderCx<'_> {
        OrderCx {
            module: self.cx.module,
            own: self.cx.own,
            func: self.func,
            graph: &self.graph,
            live: &self.live,
            homes: &self.homes,
            conventions: self.cx.conventions,
            tail_calls: &self.tail_calls,
        }
    }

    /// Prices in a block.
    pub(crate) fn prices(&self, block: Block) -> BlockPrices<'_> {
        let (gas, byte) = weights(self.cx, &self.graph, block);
        BlockPrices { homes: &self.homes, gas, byte, reach: self.cx.reach }
    }

    /// Words that may be on the stack in a block: what is passed at once, and some.
    pub(crate) fn max_height(&self, items: &[Item]) -> usize {
        let most = if self.cx.may_spill { MAX_SPILLING_HEIGHT } else { MAX_HEIGHT_WITHOUT_MEMORY };
        let operands = |item: &Item| match item {
            Item::Exec(inst) => self.func.dfg.args(*inst).len() + self.func.dfg.results(*inst).len(),
            Item::Save(_) => self.homes.frame.len(),
            Item::Label(_) | Item::Fetch { .. } => 0,
        };
        let passed = items.iter().map(operands).max().unwrap_or(0);
        most + self.func.params().len() + passed
    }
}
