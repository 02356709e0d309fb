//! The control-flow graph: predecessors, successors and reverse postorder of reachable blocks.
//!
//! Invariants: edges are listed once for each branch target, so a `condbr` with equal targets
//! gives two; edges from unreachable blocks are left out. In the order, the first target of a
//! branch stands before the second where both are first reached from there.

use cairn_ir::{Block, EntityRef, Function};

const UNREACHABLE: u32 = u32::MAX;

/// Lists of blocks, one for each block, in one array.
#[derive(Clone, Debug, Default)]
struct Adjacency {
    starts: Vec<u32>,
    blocks: Vec<Block>,
}

impl Adjacency {
    fn of(&self, block: Block) -> &[Block] {
        match (self.starts.get(block.index()), self.starts.get(block.index() + 1)) {
            (Some(start), Some(end)) => &self.blocks[*start as usize..*end as usize],
            _ => &[],
        }
    }

    /// Groups edges by their first block, keeping their order.
    fn from_edges(num_blocks: usize, edges: impl Iterator<Item = (Block, Block)> + Clone) -> Adjacency {
        let mut starts = vec![0u32; num_blocks + 1];
        for (from, _) in edges.clone() {
            starts[from.index() + 1] += 1;
        }
        for index in 0..num_blocks {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut blocks = vec![Block::from_u32(0); starts[num_blocks] as usize];
        for (from, to) in edges {
            blocks[next[from.index()] as usize] = to;
            next[from.index()] += 1;
        }
        Adjacency { starts, blocks }
    }
}

/// Predecessors, successors and order of the reachable blocks of a function.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    rpo: Vec<Block>,
    rpo_index: Vec<u32>,
    succs: Adjacency,
    preds: Adjacency,
}

impl Cfg {
    /// Walks the function once. A function without blocks has an empty graph.
    pub fn compute(func: &Function) -> Cfg {
        let num_blocks = func.num_blocks();
        let (succ_edges, rpo) = walk(func);
        let mut rpo_index = vec![UNREACHABLE; num_blocks];
        for (index, block) in rpo.iter().enumerate() {
            rpo_index[block.index()] = index as u32;
        }
        let succs = Adjacency::from_edges(num_blocks, succ_edges.iter().copied());
        let in_order = rpo.iter().flat_map(|from| succs.of(*from).iter().map(move |to| (*to, *from)));
        let preds = Adjacency::from_edges(num_blocks, in_order);
        Cfg { rpo, rpo_index, succs, preds }
    }

    /// Reachable blocks in reverse postorder; the entry is first.
    pub fn rpo(&self) -> &[Block] {
        &self.rpo
    }

    /// Place of a block in [`Cfg::rpo`]; `None` if it is unreachable.
    pub fn rpo_index(&self, block: Block) -> Option<usize> {
        let index = *self.rpo_index.get(block.index())?;
        (index != UNREACHABLE).then_some(index as usize)
    }

    /// True when control can reach the block from the entry.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.rpo_index(block).is_some()
    }

    /// Successors of a reachable block, one for each branch target, in the order of
    /// [`cairn_ir::Dfg::for_each_target`].
    pub fn succs(&self, block: Block) -> &[Block] {
        self.succs.of(block)
    }

    /// Reachable predecessors of a block, one for each edge, in reverse postorder.
    pub fn preds(&self, block: Block) -> &[Block] {
        self.preds.of(block)
    }

    /// True when the edge does not go forward in [`Cfg::rpo`]: every cycle has such an edge.
    pub fn is_retreating(&self, from: Block, to: Block) -> bool {
        self.rpo_index[from.index()] >= self.rpo_index[to.index()]
    }

    /// True when control can come back to a block it left.
    pub fn has_cycle(&self) -> bool {
        self.rpo.iter().any(|from| self.succs(*from).iter().any(|to| self.is_retreating(*from, *to)))
    }
}

/// All edges out of reachable blocks, and these blocks in reverse postorder.
fn walk(func: &Function) -> (Vec<(Block, Block)>, Vec<Block>) {
    let n_blocks = func.num_blocks();
    let (mut edges, mut postorder) = (Vec::with_capacity(2 * n_blocks), Vec::with_capacity(n_blocks));
    let Some(entry) = func.layout.first_block() else {
        return (edges, postorder);
    };
    let mut seen = vec![false; n_blocks];
    seen[entry.index()] = true;
    // A block with the range of its edges still to visit, from the last to the first, so that the
    // first target comes first once the order is reversed.
    let open = |block: Block, edges: &mut Vec<(Block, Block)>| {
        let start = edges.len();
        func.for_each_successor(block, |to| edges.push((block, to)));
        (block, start, edges.len())
    };
    let mut stack = vec![open(entry, &mut edges)];
    while let Some((block, start, end)) = stack.last_mut() {
        if start == end {
            postorder.push(*block);
            stack.pop();
            continue;
        }
        *end -= 1;
        let target = edges[*end].1;
        if !std::mem::replace(&mut seen[target.index()], true) {
            let next = open(target, &mut edges);
            stack.push(next);
        }
    }
    postorder.reverse();
    (edges, postorder)
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
