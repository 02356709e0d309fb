//! Dominators, by Lengauer and Tarjan's algorithm with path compression (1979): O(m log n) on
//! every graph, also on long chains of checks that share one failure block.
//!
//! A block dominates another if every path from the entry to the other goes through it. Each
//! block dominates itself. Unreachable blocks are not in the tree.

use crate::cfg::Cfg;
use cairn_ir::{Block, EntityRef};

const NONE: u32 = u32::MAX;

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
        let numbered = Numbering::compute(cfg, num_blocks);
        let idom_numbers = Solver::solve(cfg, &numbered);
        let mut idom = vec![None; num_blocks];
        for (number, dominator) in idom_numbers.iter().enumerate().skip(1) {
            idom[numbered.blocks[number].index()] = Some(numbered.blocks[*dominator as usize]);
        }
        let (preorder, interval) = compute_intervals(cfg, &idom);
        Dominators { idom, interval, preorder }
    }

    /// The closest strict dominator; `None` for the entry and for unreachable blocks.
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.idom.get(block.index()).copied().flatten()
    }

    /// True when `a` dominates `b`; false when one of them is unreachable.
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

/// Depth-first numbers of the reachable blocks.
struct Numbering {
    /// Blocks by number.
    blocks: Vec<Block>,
    /// Numbers by block index.
    numbers: Vec<u32>,
    /// Numbers of the parents in the depth-first tree, by number.
    parents: Vec<u32>,
}

impl Numbering {
    fn compute(cfg: &Cfg, num_blocks: usize) -> Numbering {
        let mut numbering =
            Numbering { blocks: Vec::new(), numbers: vec![NONE; num_blocks], parents: Vec::new() };
        let mut stack: Vec<(Block, u32)> = cfg.rpo().first().map(|entry| (*entry, 0)).into_iter().collect();
        while let Some((block, parent)) = stack.pop() {
            if numbering.numbers[block.index()] != NONE {
                continue;
            }
            let number = numbering.blocks.len() as u32;
            numbering.numbers[block.index()] = number;
            numbering.blocks.push(block);
            numbering.parents.push(parent);
            stack.extend(cfg.succs(block).iter().rev().map(|succ| (*succ, number)));
        }
        numbering
    }
}

/// The state of the algorithm; everything is a depth-first number.
struct Solver {
    semi: Vec<u32>,
    label: Vec<u32>,
    ancestor: Vec<u32>,
    path: Vec<u32>,
}

impl Solver {
    /// Immediate dominators by number; the entry's own is 0.
    fn solve(cfg: &Cfg, numbered: &Numbering) -> Vec<u32> {
        let count = numbered.blocks.len();
        let identity: Vec<u32> = (0..count as u32).collect();
        let mut solver =
            Solver { semi: identity.clone(), label: identity, ancestor: vec![NONE; count], path: Vec::new() };
        let mut idom = vec![0u32; count];
        let mut bucket_head = vec![NONE; count];
        let mut bucket_next = vec![NONE; count];
        for w in (1..count as u32).rev() {
            let parent = numbered.parents[w as usize];
            for pred in cfg.preds(numbered.blocks[w as usize]) {
                let u = solver.eval(numbered.numbers[pred.index()]);
                solver.semi[w as usize] = solver.semi[w as usize].min(solver.semi[u as usize]);
            }
            let semi = solver.semi[w as usize] as usize;
            bucket_next[w as usize] = std::mem::replace(&mut bucket_head[semi], w);
            solver.ancestor[w as usize] = parent;
            let mut v = std::mem::replace(&mut bucket_head[parent as usize], NONE);
            while v != NONE {
                let u = solver.eval(v);
                let is_closer = solver.semi[u as usize] < solver.semi[v as usize];
                idom[v as usize] = if is_closer { u } else { parent };
                v = bucket_next[v as usize];
            }
        }
        for w in 1..count {
            if idom[w] != solver.semi[w] {
                idom[w] = idom[idom[w] as usize];
            }
        }
        idom
    }

    /// The vertex with the least semidominator on the path from `v` up to the root of its forest
    /// tree, the root left out; compresses the path.
    fn eval(&mut self, v: u32) -> u32 {
        if self.ancestor[v as usize] == NONE {
            return v;
        }
        self.path.clear();
        let mut u = v;
        while self.ancestor[self.ancestor[u as usize] as usize] != NONE {
            self.path.push(u);
            u = self.ancestor[u as usize];
        }
        let root = self.ancestor[u as usize];
        while let Some(below) = self.path.pop() {
            let above_label = self.label[u as usize];
            if self.semi[above_label as usize] < self.semi[self.label[below as usize] as usize] {
                self.label[below as usize] = above_label;
            }
            self.ancestor[below as usize] = root;
            u = below;
        }
        self.label[v as usize]
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
