//! The control-flow graph: predecessors, successors and reverse postorder of reachable blocks.
//!
//! Invariants: edges are listed once for each branch target, so a `condbr` with equal targets
//! gives two; edges from unreachable blocks are left out. In the order, the first target of a
//! branch stands before the second where both are first reached from there.

use cairn_ir::{Block, EntityRef, Function, Module};

const UNREACHABLE: u32 = u32::MAX;
/// Reached, without a place in the order yet.
const OPEN: u32 = u32::MAX - 1;

/// Predecessors, successors and order of the reachable blocks of a function.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    rpo: Vec<Block>,
    rpo_index: Vec<u32>,
    /// By block: where its successors stand in `succs`.
    succ_ranges: Vec<(u32, u32)>,
    succs: Vec<Block>,
    /// By block: where its predecessors begin in `preds`; they end where the next block's begin.
    pred_starts: Vec<u32>,
    preds: Vec<Block>,
}

impl Cfg {
    /// Walks the function once. A function without blocks has an empty graph.
    pub fn compute(func: &Function) -> Cfg {
        let num_blocks = func.num_blocks();
        let Some(entry) = func.layout.first_block() else {
            return Cfg::default();
        };
        // Half of all functions are one block.
        if has_no_edge(func) {
            let mut rpo_index = vec![UNREACHABLE; num_blocks];
            rpo_index[entry.index()] = 0;
            return Cfg { rpo: vec![entry], rpo_index, ..Cfg::default() };
        }
        let mut cfg = Cfg {
            rpo: Vec::with_capacity(num_blocks),
            rpo_index: vec![UNREACHABLE; num_blocks],
            succ_ranges: vec![(0, 0); num_blocks],
            succs: Vec::with_capacity(num_blocks + num_blocks / 2),
            ..Cfg::default()
        };
        cfg.walk(func, entry);
        cfg.rpo.reverse();
        for (index, block) in cfg.rpo.iter().enumerate() {
            cfg.rpo_index[block.index()] = index as u32;
        }
        if !cfg.succs.is_empty() {
            cfg.collect_preds(num_blocks);
        }
        cfg
    }

    /// The graphs of all functions of a module, by function.
    pub fn compute_all(module: &Module) -> Vec<Cfg> {
        module.funcs.values().map(Cfg::compute).collect()
    }

    /// Finds the reachable blocks in postorder and their successors. The successors of a block are
    /// visited from the last to the first, so that the first comes first once the order is reversed.
    fn walk(&mut self, func: &Function, entry: Block) {
        let mut stack = vec![(entry, self.open(func, entry))];
        while let Some((block, end)) = stack.last_mut() {
            if *end == self.succ_ranges[block.index()].0 {
                self.rpo.push(*block);
                stack.pop();
                continue;
            }
            *end -= 1;
            let target = self.succs[*end as usize];
            if self.rpo_index[target.index()] == UNREACHABLE {
                let end = self.open(func, target);
                stack.push((target, end));
            }
        }
    }

    /// Lists the successors of a block; returns where they end.
    fn open(&mut self, func: &Function, block: Block) -> u32 {
        let start = self.succs.len() as u32;
        func.for_each_successor(block, |to| self.succs.push(to));
        let end = self.succs.len() as u32;
        self.succ_ranges[block.index()] = (start, end);
        self.rpo_index[block.index()] = OPEN;
        end
    }

    /// Turns the edges round: counts those of each block, then puts the last first.
    fn collect_preds(&mut self, num_blocks: usize) {
        let mut starts = vec![0u32; num_blocks + 1];
        self.succs.iter().for_each(|to| starts[to.index()] += 1);
        for index in 1..=num_blocks {
            starts[index] += starts[index - 1];
        }
        let mut preds = vec![Block::from_u32(0); self.succs.len()];
        for from in self.rpo.iter().rev() {
            for to in self.succs(*from).iter().rev() {
                let place = &mut starts[to.index()];
                *place -= 1;
                preds[*place as usize] = *from;
            }
        }
        (self.pred_starts, self.preds) = (starts, preds);
    }

    /// Reachable blocks in reverse postorder; the entry is first.
    #[inline]
    pub fn rpo(&self) -> &[Block] {
        &self.rpo
    }

    /// Place of a block in [`Cfg::rpo`]; `None` if it is unreachable.
    pub fn rpo_index(&self, block: Block) -> Option<usize> {
        let index = *self.rpo_index.get(block.index())?;
        (index != UNREACHABLE).then_some(index as usize)
    }

    /// True when control can reach the block from the entry.
    #[inline]
    pub fn is_reachable(&self, block: Block) -> bool {
        self.rpo_index(block).is_some()
    }

    /// Successors of a reachable block, one for each branch target, in the order of
    /// [`cairn_ir::Dfg::for_each_target`].
    #[inline]
    pub fn succs(&self, block: Block) -> &[Block] {
        let (start, end) = self.succ_ranges.get(block.index()).copied().unwrap_or_default();
        &self.succs[start as usize..end as usize]
    }

    /// Reachable predecessors of a block, one for each edge, in reverse postorder.
    #[inline]
    pub fn preds(&self, block: Block) -> &[Block] {
        match (self.pred_starts.get(block.index()), self.pred_starts.get(block.index() + 1)) {
            (Some(start), Some(end)) => &self.preds[*start as usize..*end as usize],
            _ => &[],
        }
    }

    /// True when the edge does not go forward in [`Cfg::rpo`]: every cycle has such an edge.
    #[inline]
    pub fn is_retreating(&self, from: Block, to: Block) -> bool {
        self.rpo_index[from.index()] >= self.rpo_index[to.index()]
    }

    /// True when an edge into the block does not go forward in [`Cfg::rpo`].
    pub fn begins_cycle(&self, block: Block) -> bool {
        self.preds(block).iter().any(|pred| self.is_retreating(*pred, block))
    }

    /// True when control can come back to a block it left.
    pub fn has_cycle(&self) -> bool {
        self.rpo.iter().any(|from| self.succs(*from).iter().any(|to| self.is_retreating(*from, *to)))
    }
}

/// True for a function of one block that goes nowhere.
pub fn has_no_edge(func: &Function) -> bool {
    let entry = func.layout.entry();
    let mut is_edge = func.layout.next_block(entry).is_some();
    func.for_each_successor(entry, |_| is_edge = true);
    !is_edge
}

/// By block: true when control can reach it from the entry. Cheaper than a [`Cfg`].
pub fn reachable_blocks(func: &Function) -> Vec<bool> {
    let mut is_reachable = vec![false; func.num_blocks()];
    let mut work: Vec<Block> = func.layout.first_block().into_iter().collect();
    work.iter().for_each(|entry| is_reachable[entry.index()] = true);
    while let Some(block) = work.pop() {
        func.for_each_successor(block, |to| {
            if !std::mem::replace(&mut is_reachable[to.index()], true) {
                work.push(to);
            }
        });
    }
    is_reachable
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{block, graph};

    fn names(blocks: &[Block]) -> Vec<usize> {
        blocks.iter().map(|block| block.index()).collect()
    }

    #[test]
    fn diamond_in_source_order() {
        let cfg = Cfg::compute(&graph(&[&[1, 2], &[3], &[3], &[]]));
        assert_eq!(names(cfg.rpo()), [0, 1, 2, 3]);
        assert_eq!(names(cfg.preds(block(3))), [1, 2]);
        assert_eq!(names(cfg.succs(block(0))), [1, 2]);
        assert!(!cfg.has_cycle());
    }

    #[test]
    fn unreachable_blocks_have_no_place_and_no_edges() {
        let cfg = Cfg::compute(&graph(&[&[2], &[2], &[]]));
        assert_eq!(names(cfg.rpo()), [0, 2]);
        assert_eq!(names(cfg.preds(block(2))), [0]);
        assert!(!cfg.is_reachable(block(1)));
        assert_eq!(reachable_blocks(&graph(&[&[2], &[2], &[]])), [true, false, true]);
        assert!(cfg.succs(block(1)).is_empty());
    }

    #[test]
    fn equal_targets_give_two_edges() {
        let cfg = Cfg::compute(&graph(&[&[1, 1], &[]]));
        assert_eq!(names(cfg.preds(block(1))), [0, 0]);
    }

    #[test]
    fn loops_have_a_retreating_edge() {
        let cfg = Cfg::compute(&graph(&[&[1], &[2, 3], &[1], &[]]));
        assert_eq!(names(cfg.rpo()), [0, 1, 2, 3]);
        assert!(cfg.is_retreating(block(2), block(1)));
        assert!(!cfg.is_retreating(block(1), block(2)));
        assert!(cfg.has_cycle());
    }

    #[test]
    fn empty_function() {
        let cfg = Cfg::compute(&Function::default());
        assert!(cfg.rpo().is_empty() && !cfg.has_cycle());
    }
}
