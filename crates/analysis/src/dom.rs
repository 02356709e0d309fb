//! The dominator tree of a function, in time O(m log n) on every graph.
//!
//! A block dominates another if every path from the entry to the other goes through it. Each
//! block dominates itself. Unreachable blocks are not in the tree.

use crate::cfg::Cfg;
use cairn_ir::dominators::immediate_dominators;
use cairn_ir::{Block, EntityRef};

/// The dominator tree of a function.
#[derive(Clone, Debug, Default)]
pub struct Dominators {
    /// By block index: immediate dominator.
    idom: Vec<Option<Block>>,
    /// By block index: interval of the block's subtree in preorder; (1, 0) when unreachable.
    interval: Vec<(u32, u32)>,
    preorder: Vec<Block>,
}

impl Dominators {
    /// Builds the tree.
    pub fn compute(cfg: &Cfg) -> Dominators {
        let num_blocks = cfg.rpo().iter().map(|block| block.index() + 1).max().unwrap_or(0);
        if let [entry] = cfg.rpo() {
            let mut interval = vec![(1, 0); num_blocks];
            interval[entry.index()] = (0, 0);
            return Dominators { idom: vec![None; num_blocks], interval, preorder: vec![*entry] };
        }
        let Some(entry) = cfg.rpo().first() else { return Dominators::default() };
        let idom = immediate_dominators(
            num_blocks,
            entry.index(),
            |block| cfg.succs(Block::new(block)).iter().map(|succ| succ.index()),
            |block| cfg.preds(Block::new(block)).iter().map(|pred| pred.index()),
        );
        let idom: Vec<Option<Block>> = idom.into_iter().map(|block| block.map(Block::new)).collect();
        let (preorder, interval) = compute_intervals(cfg, &idom);
        Dominators { idom, interval, preorder }
    }

    /// The closest strict dominator; `None` for the entry and for unreachable blocks.
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.idom.get(block.index()).copied().flatten()
    }

    /// True when `a` dominates `b`; false when one of them is unreachable.
    #[inline]
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        match (self.interval.get(a.index()), self.interval.get(b.index())) {
            (Some((a_first, a_last)), Some((b_first, b_last))) => {
                a_first <= b_first && b_last <= a_last && b_first <= b_last
            }
            _ => false,
        }
    }

    /// Blocks in preorder of the tree: each after its dominators. Children are in reverse
    /// postorder of the control-flow graph.
    pub fn preorder(&self) -> &[Block] {
        &self.preorder
    }

    /// One past the place in [`Dominators::preorder`] of the last block that `block` dominates.
    /// `None` if it is unreachable.
    pub fn subtree_end(&self, block: Block) -> Option<usize> {
        let (first, last) = *self.interval.get(block.index())?;
        (first <= last).then_some(last as usize + 1)
    }
}

fn compute_intervals(cfg: &Cfg, idom: &[Option<Block>]) -> (Vec<Block>, Vec<(u32, u32)>) {
    let num_blocks = idom.len();
    // Children lists, threaded so that walking one gives the last child in reverse postorder
    // first; the stack below turns that round.
    let mut first_child = vec![None; num_blocks];
    let mut next_sibling = vec![None; num_blocks];
    for block in cfg.rpo() {
        if let Some(parent) = idom[block.index()] {
            next_sibling[block.index()] = first_child[parent.index()].replace(*block);
        }
    }
    let mut preorder = Vec::with_capacity(cfg.rpo().len());
    let mut interval = vec![(1, 0); num_blocks];
    let mut stack: Vec<Block> = cfg.rpo().first().copied().into_iter().collect();
    while let Some(block) = stack.pop() {
        let place = preorder.len() as u32;
        interval[block.index()] = (place, place);
        preorder.push(block);
        stack.extend(std::iter::successors(first_child[block.index()], |child: &Block| {
            next_sibling[child.index()]
        }));
    }
    for block in preorder.iter().rev() {
        if let Some(parent) = idom[block.index()] {
            let last = interval[block.index()].1;
            interval[parent.index()].1 = interval[parent.index()].1.max(last);
        }
    }
    (preorder, interval)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{block, graph};

    fn idoms(succs: &[&[usize]]) -> Vec<Option<usize>> {
        let dominators = Dominators::compute(&Cfg::compute(&graph(succs)));
        (0..succs.len()).map(|index| dominators.idom(block(index)).map(|b| b.index())).collect()
    }

    #[test]
    fn diamond() {
        assert_eq!(idoms(&[&[1, 2], &[3], &[3], &[]]), [None, Some(0), Some(0), Some(0)]);
    }

    #[test]
    fn unreachable_blocks_are_not_in_the_tree() {
        assert_eq!(idoms(&[&[2], &[2], &[]]), [None, None, Some(0)]);
        let dominators = Dominators::compute(&Cfg::compute(&graph(&[&[2], &[2], &[]])));
        assert!(!dominators.dominates(block(1), block(1)));
        assert!(!dominators.dominates(block(0), block(1)));
        assert!(!dominators.dominates(block(1), block(2)));
    }

    #[test]
    fn lengauer_and_tarjans_own_example() {
        // R A B C D E F G H I J K L = 0..=12
        let succs: [&[usize]; 13] = [
            &[1, 2, 3],
            &[4],
            &[1, 4, 5],
            &[6, 7],
            &[12],
            &[8],
            &[9],
            &[9, 10],
            &[5, 11],
            &[11],
            &[9],
            &[9, 0],
            &[8],
        ];
        let some = |i| Some(i);
        let expected = [
            None,
            some(0),
            some(0),
            some(0),
            some(0),
            some(0),
            some(3),
            some(3),
            some(0),
            some(0),
            some(7),
            some(0),
            some(4),
        ];
        assert_eq!(idoms(&succs), expected);
    }

    #[test]
    fn agrees_with_the_definition_on_random_graphs() {
        let mut state = 7u32;
        let mut next = |bound: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize % bound
        };
        for _ in 0..300 {
            let n = 2 + next(9);
            let lists: Vec<Vec<usize>> = (0..n).map(|_| (0..next(4)).map(|_| next(n)).collect()).collect();
            let succs: Vec<&[usize]> = lists.iter().map(Vec::as_slice).collect();
            let cfg = Cfg::compute(&graph(&succs));
            let dominators = Dominators::compute(&cfg);
            for a in 0..n {
                let without_a = reachable_without(&lists, a);
                for b in (0..n).filter(|b| cfg.is_reachable(block(*b))) {
                    let expected = cfg.is_reachable(block(a)) && (a == b || !without_a[b]);
                    assert_eq!(dominators.dominates(block(a), block(b)), expected, "{a} {b} {lists:?}");
                }
            }
        }
    }

    fn reachable_without(succs: &[Vec<usize>], removed: usize) -> Vec<bool> {
        let mut seen = vec![false; succs.len()];
        let mut stack = vec![0];
        while let Some(at) = stack.pop() {
            if at != removed && !std::mem::replace(&mut seen[at], true) {
                stack.extend(&succs[at]);
            }
        }
        seen
    }

    #[test]
    fn preorder_has_subtrees_in_one_piece() {
        let dominators = Dominators::compute(&Cfg::compute(&graph(&[&[1, 2], &[3], &[4], &[4], &[]])));
        let order: Vec<usize> = dominators.preorder().iter().map(|b| b.index()).collect();
        assert_eq!(order, [0, 1, 3, 2, 4]);
        assert_eq!(dominators.subtree_end(block(0)), Some(5));
        assert_eq!(dominators.subtree_end(block(1)), Some(3));
        assert_eq!(dominators.subtree_end(block(9)), None);
    }

    #[test]
    fn a_long_chain_with_one_shared_failure_block_is_fast() {
        let n = 50_000;
        let lists: Vec<Vec<usize>> =
            (0..n).map(|i| if i + 2 < n { vec![i + 1, n - 1] } else { vec![] }).collect();
        let succs: Vec<&[usize]> = lists.iter().map(Vec::as_slice).collect();
        let dominators = Dominators::compute(&Cfg::compute(&graph(&succs)));
        assert_eq!(dominators.idom(block(n - 1)), Some(block(0)));
        assert_eq!(dominators.idom(block(n - 2)), Some(block(n - 3)));
    }
}
