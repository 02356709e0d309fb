//! The blocks of a function that are executed, their order and how often each is.
//!
//! A call that never comes back ends its block; what it would lead to may be unreachable.
//! *Returning* blocks are those from which an `iret` is reached: only there the return address is
//! live and dead words must go in the end. *Cold* blocks lead only to `revert`, `invalid` or calls
//! that never come back.
//!
//! The frequencies are not those of `cairn_analysis`, which `linearize` and the optimizer use: they are
//! of the blocks that are executed here, and in a range (cold 1/64, at most 4096) in which prices of a
//! block stay small integers (`prices`). With the others' numbers, cut off at the same limit, 12 of 60
//! contracts at level 2 become different code, 0.1 % smaller in the mean; what it does to their gas was not
//! measured, so the two stay apart.

use crate::context::ModuleCx;
use cairn_evm::Opcode;
use cairn_ir::{Block, Function, Inst, Op, SecondaryMap, sized};
use cranelift_entity::EntitySet;
use smallvec::SmallVec;

/// How often the entry block is executed; frequencies are relative to it.
pub(crate) const ENTRY_FREQUENCY: f32 = 1.0;
/// How often a loop is assumed to go round.
const LOOP_ROUNDS: f32 = 8.0;
/// Share of a branch that is assumed to go to a cold block.
const COLD_SHARE: f32 = 1.0 / 64.0;
/// Frequencies are not allowed to pass this, so that costs stay in range.
const MAX_FREQUENCY: f32 = 4096.0;

/// See the head of this module.
pub(crate) struct Graph {
    /// Reverse postorder; the entry first.
    pub(crate) order: Vec<Block>,
    /// Position in `order`; `u32::MAX` if the block is never executed.
    pub(crate) index: SecondaryMap<Block, u32>,
    /// Predecessors, one for each edge.
    pub(crate) preds: SecondaryMap<Block, SmallVec<[Block; 2]>>,
    /// The last instruction that is executed.
    pub(crate) last: SecondaryMap<Block, Option<Inst>>,
    /// Blocks that a back edge leads to.
    pub(crate) headers: EntitySet<Block>,
    /// Blocks from which the function can return.
    pub(crate) returning: EntitySet<Block>,
    /// Blocks that only lead to failure.
    pub(crate) cold: EntitySet<Block>,
    /// Executions for each execution of the function.
    pub(crate) frequency: SecondaryMap<Block, f32>,
}

impl Graph {
    /// The graph of a function.
    pub(crate) fn compute(func: &Function, module: &ModuleCx<'_>) -> Graph {
        let mut graph = Graph {
            order: Vec::new(),
            index: SecondaryMap::with_default(u32::MAX),
            preds: sized(func.num_blocks()),
            last: sized(func.num_blocks()),
            headers: EntitySet::new(),
            returning: EntitySet::new(),
            cold: EntitySet::new(),
            frequency: sized(func.num_blocks()),
        };
        graph.find_order(func, module);
        graph.find_returning(func);
        graph.find_cold(func);
        graph.estimate_frequencies(func);
        graph
    }

    /// Calls `f` on each successor, repeated targets repeatedly.
    pub(crate) fn for_each_successor(&self, func: &Function, block: Block, mut f: impl FnMut(Block)) {
        if let Some(inst) = self.last[block] {
            func.dfg.for_each_target(inst, |call| f(call.block));
        }
    }

    /// True for an edge that does not go forward in reverse postorder.
    pub(crate) fn is_back_edge(&self, from: Block, to: Block) -> bool {
        self.index[to] <= self.index[from]
    }

    fn successors(&self, func: &Function, block: Block) -> SmallVec<[Block; 2]> {
        let mut list = SmallVec::new();
        self.for_each_successor(func, block, |next| list.push(next));
        list
    }

    fn find_order(&mut self, func: &Function, module: &ModuleCx<'_>) {
        let entry = func.layout.entry();
        let mut seen = EntitySet::new();
        let mut path: Vec<(Block, SmallVec<[Block; 2]>)> = Vec::new();
        let enter = |graph: &mut Graph, block: Block| {
            graph.last[block] = module.last_executed(func, block).or_else(|| func.terminator(block));
            let next = graph.successors(func, block);
            next.iter().for_each(|next| graph.preds[*next].push(block));
            (block, next)
        };
        seen.insert(entry);
        path.push(enter(self, entry));
        while let Some((block, next)) = path.last_mut() {
            let block = *block;
            match next.pop() {
                Some(next) if seen.insert(next) => path.push(enter(self, next)),
                Some(_) => {}
                None => {
                    self.order.push(block);
                    path.pop();
                }
            }
        }
        self.order.reverse();
        self.order.iter().enumerate().for_each(|(at, block)| self.index[*block] = at as u32);
        for at in 0..self.order.len() {
            let block = self.order[at];
            if self.preds[block].iter().any(|pred| self.is_back_edge(*pred, block)) {
                self.headers.insert(block);
            }
        }
    }

    fn find_returning(&mut self, func: &Function) {
        let leaves = |block: &&Block| self.last[**block].is_some_and(|inst| func.dfg.op(inst) == Op::Iret);
        let mut worklist: Vec<Block> = self.order.iter().filter(leaves).copied().collect();
        while let Some(block) = worklist.pop() {
            if self.returning.insert(block) {
                worklist.extend(&self.preds[block]);
            }
        }
    }

    fn find_cold(&mut self, func: &Function) {
        let mut hot_exits: SecondaryMap<Block, u32> = sized(func.num_blocks());
        let mut worklist = Vec::new();
        for block in &self.order {
            let mut count = 0;
            self.for_each_successor(func, *block, |_| count += 1);
            hot_exits[*block] = count;
            let last = self.last[*block].map(|inst| func.dfg.op(inst));
            if matches!(last, Some(Op::Evm(Opcode::REVERT | Opcode::INVALID) | Op::Unreachable | Op::Icall)) {
                worklist.push(*block);
            }
        }
        while let Some(block) = worklist.pop() {
            if !self.cold.insert(block) {
                continue;
            }
            for pred in &self.preds[block] {
                hot_exits[*pred] -= 1;
                if hot_exits[*pred] == 0 {
                    worklist.push(*pred);
                }
            }
        }
    }

    /// Splits frequencies along forward edges; a header is entered more often than it is reached.
    fn estimate_frequencies(&mut self, func: &Function) {
        self.frequency[self.order[0]] = ENTRY_FREQUENCY;
        for at in 0..self.order.len() {
            let block = self.order[at];
            if self.headers.contains(block) {
                self.frequency[block] = (self.frequency[block] * LOOP_ROUNDS).min(MAX_FREQUENCY);
            }
            let frequency = self.frequency[block];
            let next = self.successors(func, block);
            let num_cold = next.iter().filter(|next| self.cold.contains(**next)).count();
            for target in &next {
                if self.is_back_edge(block, *target) {
                    continue;
                }
                let share = match (next.len(), num_cold) {
                    (2, 1) if self.cold.contains(*target) => COLD_SHARE,
                    (2, 1) => 1.0 - COLD_SHARE,
                    (2, _) if self.headers.contains(block) => 1.0 - 1.0 / LOOP_ROUNDS,
                    (2, _) => 0.5,
                    (0 | 1, _) => 1.0,
                    (n, num_cold) if self.cold.contains(*target) && num_cold < n => {
                        COLD_SHARE / num_cold as f32
                    }
                    (n, num_cold) if num_cold < n => 1.0 / (n - num_cold) as f32,
                    (n, _) => 1.0 / n as f32,
                };
                self.frequency[*target] += frequency * share;
            }
        }
    }
}
