//! What gas and bytes weigh in a block, by how often it is executed.

use super::graph::Graph;
use super::homes::Homes;
use crate::code::Reach;
use crate::global::context::Context;
use crate::global::stack::shuffle::Prices;
use crate::global::stack::slot::Slot;
use cairn_evm::Cost;
use cairn_evm::gas::DEPOSIT_PER_BYTE;
use cairn_ir::Block;

/// One unit of gas in the entry block and one byte at λ = 1 cost this much.
const COST_SCALE: f32 = 16.0;
/// Costs of gas are kept within this range, so that ties are broken and sums fit.
const COST_RANGE: (f32, f32) = (1.0, 4096.0);

/// What a unit of gas in a block costs, and a byte.
pub(crate) fn weights(cx: &Context<'_>, graph: &Graph, block: Block) -> (u32, u32) {
    let runs = cx.module.options.runs.max(1) as f32;
    let (low, high) = COST_RANGE;
    let is_cold = graph.cold.contains(block);
    let frequency = graph.frequency[block];
    let gas = if is_cold { 1.0 } else { (frequency.max(1.0) * COST_SCALE).clamp(low, high) };
    let byte = (DEPOSIT_PER_BYTE as f32 / runs * COST_SCALE).clamp(low, high);
    (gas as u32, byte as u32)
}

/// Prices in a block of a certain frequency.
#[derive(Clone, Copy)]
pub(crate) struct BlockPrices<'a> {
    /// Homes of values.
    pub(crate) homes: &'a Homes,
    /// Cost of a unit of gas.
    pub(crate) gas: u32,
    /// Cost of a byte.
    pub(crate) byte: u32,
    /// How far stack instructions reach.
    pub(crate) reach: Reach,
}

impl BlockPrices<'_> {
    /// What something costs here.
    pub(crate) fn of(&self, cost: Cost) -> u32 {
        cost.gas as u32 * self.gas + cost.bytes as u32 * self.byte
    }
}

impl Prices for BlockPrices<'_> {
    fn dup(&self) -> u32 {
        self.of(Cost::DUP)
    }
    fn swap(&self) -> u32 {
        self.of(Cost::SWAP)
    }
    fn pop(&self) -> u32 {
        self.of(Cost::POP)
    }
    fn make(&self, slot: Slot) -> Option<u32> {
        self.homes.price(slot).map(|cost| self.of(cost))
    }
    fn reach(&self) -> Reach {
        self.reach
    }
}
