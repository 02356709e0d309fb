//! Dominators, loops, irreducible regions, and which function a block belongs to.
//!
//! Definitions. The *inner graph* has a function's own edges: a call leads to where it returns,
//! edges back to callers do not exist. Its roots are the program's beginning and the entries of
//! functions. A *back edge* leads to a block that dominates its beginning; it makes a *natural
//! loop* of the blocks that reach it without passing the header. A retreating edge to a block that
//! does not dominate its beginning makes an *irreducible* region.

use crate::analysis::Analysis;
use crate::blocks::{BlockEnd, BlockId, NO_BLOCK};
use crate::cfg::EdgeKind;

/// A natural loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The block that dominates the others.
    pub header: BlockId,
    /// Its blocks, sorted, the header among them.
    pub blocks: Vec<BlockId>,
}

/// See the head of the module.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// Immediate dominator in the inner graph; `None` for roots and unreached blocks.
    pub idom: Vec<Option<BlockId>>,
    /// Immediate post-dominator; `None` where ways out differ or there is none.
    pub ipdom: Vec<Option<BlockId>>,
    /// Back edges, sorted.
    pub back_edges: Vec<(BlockId, BlockId)>,
    /// Natural loops by header; loops with one header are one.
    pub loops: Vec<Loop>,
    /// Number of loops around each block.
    pub loop_depth: Vec<u32>,
    /// Blocks that retreating edges enter from outside of what they dominate.
    pub irreducible: Vec<BlockId>,
    /// Entry of the function that a block belongs to; 0 is the program's beginning.
    pub function_of: Vec<Option<BlockId>>,
    /// Edges of the inner graph by beginning.
    pub inner: Vec<Vec<BlockId>>,
}

impl Structure {
    /// Computes everything.
    pub fn compute(analysis: &Analysis<'_>) -> Structure {
        let count = analysis.blocks.len();
        let inner = inner_graph(analysis);
        let preds = reversed(&inner);
        let mut roots: Vec<BlockId> = if count == 0 { Vec::new() } else { vec![0] };
        roots.extend(analysis.functions.iter().map(|function| function.entry).filter(|entry| *entry != 0));
        let (order, position) = reverse_postorder(&inner, &roots);
        let idom = dominators(&order, &position, &preds, &roots);
        let mut structure = Structure {
            ipdom: post_dominators(analysis, &inner, &preds),
            function_of: owners(&inner, &roots, count),
            loop_depth: vec![0; count],
            idom,
            ..Structure::default()
        };
        structure.find_loops(&inner, &preds, &position);
        structure.inner = inner;
        structure
    }

    /// True when every way to `block` leads through `by`, in the inner graph.
    pub fn dominates(&self, by: BlockId, block: BlockId) -> bool {
        let mut at = Some(block);
        while let Some(here) = at {
            if here == by {
                return true;
            }
            at = self.idom[here as usize];
        }
        false
    }

    fn find_loops(&mut self, inner: &[Vec<BlockId>], preds: &[Vec<BlockId>], position: &[u32]) {
        for (from, targets) in inner.iter().enumerate() {
            if position[from] == u32::MAX {
                continue;
            }
            for to in targets {
                if position[*to as usize] > position[from] {
                    continue;
                }
                if self.dominates(*to, from as BlockId) {
                    self.back_edges.push((from as BlockId, *to));
                } else {
                    self.irreducible.push(*to);
                }
            }
        }
        self.irreducible.sort_unstable();
        self.irreducible.dedup();
        let mut headers: Vec<BlockId> = self.back_edges.iter().map(|edge| edge.1).collect();
        headers.sort_unstable();
        headers.dedup();
        for header in headers {
            let ends = self.back_edges.iter().filter(|edge| edge.1 == header).map(|edge| edge.0);
            let blocks = loop_blocks(header, ends.collect(), preds);
            blocks.iter().for_each(|block| self.loop_depth[*block as usize] += 1);
            self.loops.push(Loop { header, blocks });
        }
    }
}

fn loop_blocks(header: BlockId, mut work: Vec<BlockId>, preds: &[Vec<BlockId>]) -> Vec<BlockId> {
    let mut blocks = std::collections::BTreeSet::from([header]);
    while let Some(block) = work.pop() {
        if blocks.insert(block) {
            work.extend(&preds[block as usize]);
        }
    }
    blocks.into_iter().collect()
}

fn inner_graph(analysis: &Analysis<'_>) -> Vec<Vec<BlockId>> {
    let mut inner: Vec<Vec<BlockId>> = vec![Vec::new(); analysis.blocks.len()];
    for edge in analysis.cfg.edges() {
        let list = &mut inner[edge.from as usize];
        match edge.kind {
            EdgeKind::Return => {}
            EdgeKind::Call => list.extend(analysis.outcome.return_site(edge.from)),
            EdgeKind::Fallthrough | EdgeKind::Jump | EdgeKind::True | EdgeKind::False => list.push(edge.to),
        }
    }
    inner.iter_mut().for_each(|list| {
        list.sort_unstable();
        list.dedup();
    });
    inner
}

fn reversed(graph: &[Vec<BlockId>]) -> Vec<Vec<BlockId>> {
    let mut result = vec![Vec::new(); graph.len()];
    for (from, targets) in graph.iter().enumerate() {
        targets.iter().for_each(|to| result[*to as usize].push(from as BlockId));
    }
    result
}

/// Order of the blocks reached from the roots, and the rank of each block in it.
fn reverse_postorder(graph: &[Vec<BlockId>], roots: &[BlockId]) -> (Vec<BlockId>, Vec<u32>) {
    let mut order = Vec::new();
    let mut seen = vec![false; graph.len()];
    for root in roots.iter().rev() {
        let mut stack = vec![(*root, 0usize)];
        if std::mem::replace(&mut seen[*root as usize], true) {
            continue;
        }
        while let Some((block, next)) = stack.last_mut() {
            match graph[*block as usize].get(*next) {
                Some(to) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[*to as usize], true) {
                        stack.push((*to, 0));
                    }
                }
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
    }
    order.reverse();
    let mut position = vec![u32::MAX; graph.len()];
    for (rank, block) in order.iter().enumerate() {
        position[*block as usize] = rank as u32;
    }
    (order, position)
}

/// Cooper, Harvey, Kennedy, *A Simple, Fast Dominance Algorithm*, with a root above all roots.
fn dominators(
    order: &[BlockId],
    position: &[u32],
    preds: &[Vec<BlockId>],
    roots: &[BlockId],
) -> Vec<Option<BlockId>> {
    // Ranks are shifted by one: 0 is the root above.
    let mut idom = vec![u32::MAX; order.len() + 1];
    idom[0] = 0;
    let mut is_root = vec![false; position.len()];
    roots.iter().for_each(|root| is_root[*root as usize] = true);
    let mut changed = true;
    while changed {
        changed = false;
        for (rank, block) in order.iter().enumerate() {
            let mut new = if is_root[*block as usize] { 0 } else { u32::MAX };
            for pred in &preds[*block as usize] {
                let pred = position[*pred as usize].wrapping_add(1);
                if pred != 0 && idom[pred as usize] != u32::MAX {
                    new = if new == u32::MAX { pred } else { common(&idom, new, pred) };
                }
            }
            changed |= std::mem::replace(&mut idom[rank + 1], new) != new;
        }
    }
    let mut result = vec![None; position.len()];
    for (rank, block) in order.iter().enumerate() {
        let above = idom[rank + 1];
        result[*block as usize] = (above != 0 && above != u32::MAX).then(|| order[above as usize - 1]);
    }
    result
}

fn common(idom: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        if a > b {
            a = idom[a as usize];
        } else {
            b = idom[b as usize];
        }
    }
    a
}

fn post_dominators(
    analysis: &Analysis<'_>,
    inner: &[Vec<BlockId>],
    preds: &[Vec<BlockId>],
) -> Vec<Option<BlockId>> {
    let exits: Vec<BlockId> = (0..inner.len() as BlockId)
        .filter(|block| {
            let ends = analysis.blocks.get(*block).ends;
            analysis.is_reached(*block) && (inner[*block as usize].is_empty() || ends == BlockEnd::Halt)
        })
        .collect();
    let (order, position) = reverse_postorder(preds, &exits);
    dominators(&order, &position, inner, &exits)
}

fn owners(inner: &[Vec<BlockId>], roots: &[BlockId], count: usize) -> Vec<Option<BlockId>> {
    let mut owner = vec![NO_BLOCK; count];
    roots.iter().for_each(|root| owner[*root as usize] = *root);
    for root in roots {
        let mut work = vec![*root];
        while let Some(block) = work.pop() {
            for to in &inner[block as usize] {
                if owner[*to as usize] == NO_BLOCK {
                    owner[*to as usize] = *root;
                    work.push(*to);
                }
            }
        }
    }
    owner.into_iter().map(|owner| (owner != NO_BLOCK).then_some(owner)).collect()
}
