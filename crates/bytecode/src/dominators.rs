//! Dominators of a graph with several roots.
//!
//! Georgiadis, Tarjan, *Finding Dominators in Practice*: the Semi-NCA algorithm, with a root above
//! all roots. Near-linear, also where graphs are deep or irreducible on purpose.

use crate::blocks::BlockId;

/// The root above all roots, in the order in which blocks are first seen.
const TOP: u32 = 0;
const UNSEEN: u32 = u32::MAX;

/// Blocks in the order of a walk; numbers begin with [`TOP`].
struct Walk {
    number: Vec<u32>,
    /// Blocks from number 1 on.
    order: Vec<BlockId>,
    /// By number.
    parent: Vec<u32>,
}

/// Immediate dominators; `None` for blocks that are not reached and those that [`TOP`] dominates.
pub(crate) fn dominators(
    graph: &[Vec<BlockId>],
    preds: &[Vec<BlockId>],
    roots: &[BlockId],
) -> Vec<Option<BlockId>> {
    let walk = walk(graph, roots);
    let mut is_root = vec![false; graph.len()];
    roots.iter().for_each(|root| is_root[*root as usize] = true);
    let count = walk.parent.len() as u32;
    let mut semi: Vec<u32> = (0..count).collect();
    let mut forest = Forest { ancestor: walk.parent.clone(), best: (0..count).collect(), path: Vec::new() };
    for number in (1..count).rev() {
        let block = walk.order[number as usize - 1] as usize;
        let mut least = if is_root[block] { TOP } else { walk.parent[number as usize] };
        for pred in &preds[block] {
            let pred = walk.number[*pred as usize];
            if pred != UNSEEN {
                let best = forest.best_above(pred, number + 1, &semi);
                least = least.min(semi[best as usize]);
            }
        }
        semi[number as usize] = least;
    }
    let mut idom = walk.parent;
    for number in 1..count as usize {
        let mut above = idom[number];
        while above > semi[number] {
            above = idom[above as usize];
        }
        idom[number] = above;
    }
    let mut result = vec![None; graph.len()];
    for (block, above) in walk.order.iter().zip(&idom[1..]) {
        result[*block as usize] = above.checked_sub(1).map(|above| walk.order[above as usize]);
    }
    result
}

/// Numbers of each block when the tree of immediate dominators is entered and left, so that what a block
/// dominates lies between its numbers.
pub(crate) fn spans(idom: &[Option<BlockId>]) -> Vec<(u32, u32)> {
    let count = idom.len();
    let mut children: Vec<Vec<BlockId>> = vec![Vec::new(); count];
    for (block, above) in idom.iter().enumerate() {
        above.iter().for_each(|above| children[*above as usize].push(block as BlockId));
    }
    let (mut spans, mut clock) = (vec![(0, 0); count], 0);
    for root in (0..count as BlockId).filter(|block| idom[*block as usize].is_none()) {
        let mut stack = vec![(root, 0usize)];
        while let Some((block, next)) = stack.last_mut() {
            if *next == 0 {
                spans[*block as usize].0 = clock;
                clock += 1;
            }
            match children[*block as usize].get(*next).copied() {
                Some(child) => {
                    *next += 1;
                    stack.push((child, 0));
                }
                None => {
                    spans[*block as usize].1 = clock;
                    stack.pop();
                }
            }
        }
    }
    spans
}

/// Trees of blocks with numbers from some number on, paths compressed.
struct Forest {
    ancestor: Vec<u32>,
    /// The block with the least semidominator on the way to the ancestor.
    best: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    /// Among the ancestors of `number` from `linked` on, the one with the least semidominator.
    fn best_above(&mut self, number: u32, linked: u32, semi: &[u32]) -> u32 {
        let mut top = number;
        while self.ancestor[top as usize] >= linked {
            self.path.push(top);
            top = self.ancestor[top as usize];
        }
        while let Some(below) = self.path.pop() {
            let (best, others) = (self.best[below as usize], self.best[top as usize]);
            if semi[others as usize] < semi[best as usize] {
                self.best[below as usize] = others;
            }
            self.ancestor[below as usize] = self.ancestor[top as usize];
            top = below;
        }
        self.best[number as usize]
    }
}

/// Numbers blocks in depth-first order.
fn walk(graph: &[Vec<BlockId>], roots: &[BlockId]) -> Walk {
    let mut walk = Walk { number: vec![UNSEEN; graph.len()], order: Vec::new(), parent: vec![TOP] };
    for root in roots {
        let mut stack = Vec::new();
        walk.visit(*root, TOP, &mut stack);
        while let Some((block, next)) = stack.last_mut() {
            match graph[*block as usize].get(*next) {
                Some(to) => {
                    *next += 1;
                    let from = walk.number[*block as usize];
                    walk.visit(*to, from, &mut stack);
                }
                None => {
                    stack.pop();
                }
            }
        }
    }
    walk
}

impl Walk {
    fn visit(&mut self, block: BlockId, from: u32, stack: &mut Vec<(BlockId, usize)>) {
        if self.number[block as usize] != UNSEEN {
            return;
        }
        self.number[block as usize] = self.parent.len() as u32;
        self.order.push(block);
        self.parent.push(from);
        stack.push((block, 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reversed(graph: &[Vec<BlockId>]) -> Vec<Vec<BlockId>> {
        let mut preds = vec![Vec::new(); graph.len()];
        for (from, targets) in graph.iter().enumerate() {
            targets.iter().for_each(|to| preds[*to as usize].push(from as BlockId));
        }
        preds
    }

    /// Blocks reached from the roots without passing `without`.
    fn reached(graph: &[Vec<BlockId>], roots: &[BlockId], without: Option<BlockId>) -> Vec<bool> {
        let mut seen = vec![false; graph.len()];
        let mut work = roots.to_vec();
        while let Some(block) = work.pop() {
            if Some(block) != without && !std::mem::replace(&mut seen[block as usize], true) {
                work.extend(&graph[block as usize]);
            }
        }
        seen
    }

    #[test]
    fn dominators_are_what_every_way_passes() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut below = |limit: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % limit as u64) as usize
        };
        for _ in 0..300 {
            let count = 1 + below(14);
            let mut graph: Vec<Vec<BlockId>> = vec![Vec::new(); count];
            for _ in 0..below(30) {
                graph[below(count)].push(below(count) as BlockId);
            }
            let roots: Vec<BlockId> = (0..1 + below(2)).map(|_| below(count) as BlockId).collect();
            let idom = dominators(&graph, &reversed(&graph), &roots);
            let all = reached(&graph, &roots, None);
            for block in 0..count {
                let mut above = Vec::new();
                let mut at = idom[block];
                while let Some(by) = at {
                    above.push(by as usize);
                    at = idom[by as usize];
                }
                above.sort_unstable();
                let is_above = |by: &usize| {
                    let rest = reached(&graph, &roots, Some(*by as BlockId));
                    all[block] && all[*by] && *by != block && !rest[block]
                };
                let expected: Vec<usize> = (0..count).filter(is_above).collect();
                assert_eq!(above, expected, "{graph:?} from {roots:?}, block {block}");
            }
        }
    }
}
