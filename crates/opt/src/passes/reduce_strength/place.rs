//! Loops, and the parameters of their heads that count.

use crate::passes::hoist_invariants::block_before;
use cairn_analysis::{Cfg, LoopId, Loops};
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, Function, SecondaryMap, Type, Value};
use smallvec::SmallVec;

/// The blocks of each loop, in reverse postorder.
pub(super) fn blocks_of_loops(cfg: &Cfg, loops: &Loops) -> SecondaryMap<LoopId, Vec<Block>> {
    let mut blocks: SecondaryMap<LoopId, Vec<Block>> = SecondaryMap::new();
    for block in cfg.rpo() {
        let mut around = loops.innermost(*block);
        while let Some(id) = around {
            blocks[id].push(*block);
            around = loops.parent(id);
        }
    }
    blocks
}

/// Where a loop is.
pub(super) struct Place {
    pub(super) head: Block,
    /// The only block outside that leads to the head.
    pub(super) before: Block,
    /// In reverse postorder.
    pub(super) blocks: Vec<Block>,
    /// Blocks of the loop that lead to its head.
    pub(super) latches: SmallVec<[Block; 4]>,
}

impl Place {
    /// Of a loop that is entered from one block.
    pub(super) fn of(cfg: &Cfg, loops: &Loops, id: LoopId, blocks: Vec<Block>) -> Option<Place> {
        let head = loops.header(id);
        let before = block_before(cfg, loops, id)?;
        let is_inside = |block: &Block| loops.contains(id, *block);
        let mut latches: SmallVec<[Block; 4]> = cfg.preds(head).iter().copied().filter(is_inside).collect();
        // A block is there once for each of its edges.
        latches.dedup();
        Some(Place { head, before, blocks, latches })
    }
}

/// A parameter of the head that grows by the same in each round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    pub(super) param: Value,
    /// What it is in the first round.
    pub(super) start: Value,
    pub(super) step: Word,
}

/// The counters of a loop.
pub(super) fn counters(func: &Function, place: &Place) -> Vec<Counter> {
    let params = func.dfg.params(place.head).iter().enumerate();
    let words = params.filter(|(_, param)| func.dfg.ty(**param) == Type::U256);
    words
        .filter_map(|(index, param)| {
            let start = brought(func, place.before, place.head, index);
            let [start] = start[..] else { return None };
            let mut steps = place.latches.iter().flat_map(|latch| brought(func, *latch, place.head, index));
            let step = step_of(func, *param, steps.next()?)?;
            let is_same = steps.all(|next| step_of(func, *param, next) == Some(step));
            (is_same && func.dfg.ty(start) == Type::U256).then_some(Counter { param: *param, start, step })
        })
        .collect()
}

/// What the edges from a block to another bring for this parameter.
pub(super) fn brought(func: &Function, from: Block, to: Block, index: usize) -> SmallVec<[Value; 2]> {
    let mut found = SmallVec::new();
    if let Some(end) = func.terminator(from) {
        func.dfg.for_each_target(end, |call| {
            if call.block == to {
                found.push(func.dfg.call_args(call)[index]);
            }
        });
    }
    found
}

/// The constant that a word is more than a parameter, unless it is 0.
fn step_of(func: &Function, param: Value, next: Value) -> Option<Word> {
    let step = match func.dfg.as_evm(next)? {
        (Opcode::ADD, [a, b]) if *a == param => func.dfg.as_const(*b)?,
        (Opcode::ADD, [a, b]) if *b == param => func.dfg.as_const(*a)?,
        (Opcode::SUB, [a, b]) if *a == param => func.dfg.as_const(*b)?.wrapping_neg(),
        _ => return None,
    };
    (!step.is_zero()).then_some(step)
}
