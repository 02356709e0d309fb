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
use crate::dominators::{dominators, spans};

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
    /// Loops have more blocks than are listed: the last ones stand there with their headers alone.
    pub is_cut_short: bool,
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
        let position = reverse_postorder(&inner, &roots);
        let idom = dominators(&inner, &preds, &roots);
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
        let spans = spans(&self.idom);
        let dominates = |by: BlockId, block: usize| {
            (spans[by as usize].0..spans[by as usize].1).contains(&spans[block].0)
        };
        for (from, targets) in inner.iter().enumerate() {
            if position[from] == u32::MAX {
                continue;
            }
            for to in targets {
                if position[*to as usize] > position[from] {
                    continue;
                }
                if dominates(*to, from) {
                    self.back_edges.push((from as BlockId, *to));
                } else {
                    self.irreducible.push(*to);
                }
            }
        }
        self.irreducible.sort_unstable();
        self.irreducible.dedup();
        let mut by_header: Vec<(BlockId, BlockId)> =
            self.back_edges.iter().map(|(end, header)| (*header, *end)).collect();
        by_header.sort_unstable();
        let mut finder = LoopFinder { preds, loop_of: vec![NO_BLOCK; inner.len()], left: MAX_LOOP_WORK };
        for edges in by_header.chunk_by(|a, b| a.0 == b.0) {
            let header = edges[0].0;
            let blocks = finder.blocks(header, edges.iter().map(|edge| edge.1).collect());
            self.is_cut_short |= blocks.is_none();
            let blocks = blocks.unwrap_or_else(|| vec![header]);
            blocks.iter().for_each(|block| self.loop_depth[*block as usize] += 1);
            self.loops.push(Loop { header, blocks });
        }
    }
}

/// Edges that are looked at to find the blocks of all loops; a thousand loops in one another have
/// a million blocks.
const MAX_LOOP_WORK: usize = 1 << 22;

struct LoopFinder<'a> {
    preds: &'a [Vec<BlockId>],
    /// Header of the loop that a block was last found in.
    loop_of: Vec<BlockId>,
    left: usize,
}

impl LoopFinder<'_> {
    /// The blocks that reach the ends of back edges; `None` when that is too much work.
    fn blocks(&mut self, header: BlockId, mut work: Vec<BlockId>) -> Option<Vec<BlockId>> {
        let mut blocks = vec![header];
        self.loop_of[header as usize] = header;
        while let Some(block) = work.pop() {
            if std::mem::replace(&mut self.loop_of[block as usize], header) != header {
                blocks.push(block);
                let preds = &self.preds[block as usize];
                self.left = self.left.saturating_sub(1 + preds.len());
                if self.left == 0 {
                    return None;
                }
                work.extend(preds);
            }
        }
        blocks.sort_unstable();
        Some(blocks)
    }
}

fn inner_graph(analysis: &Analysis<'_>) -> Vec<Vec<BlockId>> {
    let mut inner: Vec<Vec<BlockId>> = vec![Vec::new(); analysis.blocks.len()];
    for edge in analysis.cfg.edges() {
        let list = &mut inner[edge.from as usize];
        match edge.kind {
            EdgeKind::Return => {}
            EdgeKind::Call => {
                list.extend(analysis.outcome.calls_of(edge.from).iter().map(|call| call.return_to))
            }
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

/// The rank of each block that is reached from the roots.
fn reverse_postorder(graph: &[Vec<BlockId>], roots: &[BlockId]) -> Vec<u32> {
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
    position
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
    dominators(preds, inner, &exits)
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
