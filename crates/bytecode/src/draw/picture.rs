//! What is drawn of a code, without places.

use super::cold::find_cold;
use crate::analysis::Analysis;
use crate::blocks::{BlockEnd, BlockId};
use crate::cfg::EdgeKind;
use crate::report::listing;
use crate::standards::known_signatures;
use crate::structure::Structure;
use std::collections::BTreeMap;

/// A chain of blocks that are always executed one after the other.
#[derive(Clone, Debug)]
pub struct Node {
    /// Offset of the first instruction.
    pub start: u32,
    /// Blocks in order; none in a container, whose blocks are told apart by their offsets.
    pub blocks: Vec<BlockId>,
    /// Blocks that branches of these lead to and that always fail: they are folded.
    pub folded: Vec<BlockId>,
    /// Lines that are shown.
    pub label: Vec<String>,
    /// True inside of a loop's header.
    pub is_header: bool,
    /// True when it ends the frame or returns.
    pub is_end: bool,
    /// True when it always fails: such a node stands only at the beginning of a cluster.
    pub is_cold: bool,
}

/// An edge between nodes of a cluster.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Index of the first node in the cluster.
    pub from: usize,
    /// Index of the second.
    pub to: usize,
    /// How control gets along it.
    pub kind: EdgeKind,
    /// True when the second dominates the first.
    pub is_back: bool,
}

/// A function.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    /// Title.
    pub title: String,
    /// Nodes, the entry first.
    pub nodes: Vec<Node>,
    /// Edges.
    pub lines: Vec<Line>,
}

/// Lines that a node shows besides its title.
const SHOWN_LINES: usize = 7;
/// Cold blocks that are listed with a node.
const MAX_FOLDED: usize = 64;
/// Lines of a cluster that are drawn; where there are more nobody can follow one.
const MAX_LINES: usize = 100_000;

/// The clusters of plain code: the program's beginning, then functions by offset.
pub(super) fn clusters_of_blocks(analysis: &Analysis<'_>) -> Vec<Cluster> {
    let structure = Structure::compute(analysis);
    let count = analysis.blocks.len();
    let mut owners: Vec<BlockId> = structure.function_of.iter().flatten().copied().collect();
    owners.sort_unstable();
    owners.dedup();
    let (preds, only_pred) = predecessors(&structure, count);
    let mut by_owner: Vec<Vec<BlockId>> = vec![Vec::new(); owners.len()];
    for block in 0..count as BlockId {
        let owner = structure.function_of[block as usize].filter(|_| analysis.is_reached(block));
        if let Some(rank) = owner.and_then(|owner| owners.binary_search(&owner).ok()) {
            by_owner[rank].push(block);
        }
    }
    let cold = find_cold(analysis, &structure);
    let only_next = only_warm(&structure, &cold);
    let known = known_signatures();
    let handled = analysis.selectors.iter().rev().map(|found| (found.entry, found.selector)).collect();
    let draw = |(owner, blocks): (&BlockId, &Vec<BlockId>)| {
        let (structure, preds, only_pred) = (&structure, &preds, &only_pred);
        let (cold, only_next, handled) = (&cold, &only_next, &handled);
        ClusterBuilder { analysis, structure, preds, only_pred, cold, only_next, handled, known }
            .build(*owner, blocks)
    };
    owners.iter().zip(&by_owner).map(draw).collect()
}

/// The number of predecessors of each block, and one of them.
fn predecessors(structure: &Structure, count: usize) -> (Vec<u32>, Vec<Option<BlockId>>) {
    let (mut preds, mut only) = (vec![0; count], vec![None; count]);
    for (from, targets) in structure.inner.iter().enumerate() {
        for to in targets {
            preds[*to as usize] += 1;
            only[*to as usize] = Some(from as BlockId);
        }
    }
    (preds, only)
}

/// The successor of each block that is not cold, where there is exactly one.
fn only_warm(structure: &Structure, cold: &[bool]) -> Vec<Option<BlockId>> {
    let only = |targets: &Vec<BlockId>| {
        let mut warm = targets.iter().copied().filter(|to| !cold[*to as usize]);
        warm.next().filter(|_| warm.next().is_none())
    };
    structure.inner.iter().map(only).collect()
}

struct ClusterBuilder<'a, 'c> {
    analysis: &'a Analysis<'c>,
    structure: &'a Structure,
    preds: &'a [u32],
    /// Some predecessor of each block.
    only_pred: &'a [Option<BlockId>],
    cold: &'a [bool],
    /// The one successor of each block that is not cold.
    only_next: &'a [Option<BlockId>],
    /// The first selector of each block that handles one.
    handled: &'a BTreeMap<BlockId, u32>,
    /// Signatures of known standards by selector.
    known: &'a BTreeMap<u32, &'static str>,
}

impl ClusterBuilder<'_, '_> {
    fn build(&self, owner: BlockId, blocks: &[BlockId]) -> Cluster {
        let owned = |block: BlockId| self.structure.function_of[block as usize] == Some(owner);
        let shown: Vec<BlockId> =
            blocks.iter().copied().filter(|block| *block == owner || !self.is_cold(*block)).collect();
        let mut node_of = BTreeMap::new();
        let mut cluster = Cluster { title: self.title(owner), ..Cluster::default() };
        let firsts = shown.iter().copied().filter(|block| *block == owner || !self.continues(*block, owner));
        let mut firsts: Vec<BlockId> = firsts.collect();
        firsts.sort_by_key(|block| (*block != owner, *block));
        for first in firsts {
            let mut chain = vec![first];
            while let Some(next) = self.next_in_chain(*chain.last().unwrap_or(&first), owner) {
                // Each has one predecessor, so a chain can only close at its beginning.
                if next == first {
                    break;
                }
                chain.push(next);
            }
            chain.iter().for_each(|block| {
                node_of.insert(*block, cluster.nodes.len());
            });
            cluster.nodes.push(self.node(chain));
        }
        let mut omitted = 0;
        for index in 0..cluster.nodes.len() {
            let Some(last) = cluster.nodes[index].blocks.last().copied() else { continue };
            for to in &self.structure.inner[last as usize] {
                let Some(target) = node_of.get(to).copied().filter(|_| owned(*to)) else { continue };
                let is_back = self.structure.back_edges.binary_search(&(last, *to)).is_ok();
                if cluster.lines.len() < MAX_LINES {
                    cluster.lines.push(Line { from: index, to: target, kind: self.kind(last, *to), is_back });
                } else {
                    omitted += 1;
                }
            }
        }
        if omitted > 0 {
            cluster.title.push_str(&format!(" ({omitted} lines are not drawn)"));
        }
        cluster
    }

    fn title(&self, owner: BlockId) -> String {
        let start = self.analysis.blocks.get(owner).start;
        let functions = &self.analysis.functions;
        match functions.binary_search_by_key(&owner, |function| function.entry) {
            Ok(index) => {
                let function = &functions[index];
                let rets = function.rets.map_or("never returns".to_owned(), |rets| format!("returns {rets}"));
                format!("function {start:#x}: takes {}, {rets}", function.params)
            }
            Err(_) => "main".to_owned(),
        }
    }

    fn kind(&self, from: BlockId, to: BlockId) -> EdgeKind {
        let edges = self.analysis.cfg.out_edges(from);
        let found = edges.get(edges.partition_point(|edge| edge.to < to)).filter(|edge| edge.to == to);
        found.map_or(EdgeKind::Call, |edge| edge.kind)
    }

    /// True when the block is folded.
    fn is_cold(&self, block: BlockId) -> bool {
        self.cold[block as usize]
    }

    /// The cold blocks behind the branches of a chain, nearest first.
    fn folded(&self, chain: &[BlockId]) -> Vec<BlockId> {
        let mut list: Vec<BlockId> = Vec::new();
        let mut next = 0;
        let mut at: Vec<BlockId> = chain.to_vec();
        while let Some(block) = at.get(next).copied().filter(|_| list.len() < MAX_FOLDED) {
            next += 1;
            for to in self.structure.inner[block as usize].iter().filter(|to| self.is_cold(**to)) {
                if list.len() < MAX_FOLDED && !list.contains(to) {
                    list.push(*to);
                    at.push(*to);
                }
            }
        }
        list
    }

    /// The one successor of a block that has no other predecessor.
    fn next_in_chain(&self, block: BlockId, owner: BlockId) -> Option<BlockId> {
        let next = self.only_next[block as usize]?;
        let same = self.structure.function_of[next as usize] == Some(owner) && next != owner;
        let is_handler = self.handled.contains_key(&next);
        (same && !is_handler && self.preds[next as usize] == 1).then_some(next)
    }

    fn continues(&self, block: BlockId, owner: BlockId) -> bool {
        let before = self.only_pred[block as usize];
        before.is_some_and(|before| self.next_in_chain(before, owner) == Some(block))
    }

    fn node(&self, blocks: Vec<BlockId>) -> Node {
        let first = self.analysis.blocks.get(blocks[0]);
        let last = blocks[blocks.len() - 1];
        let (mut code, mut marks): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for block in &blocks {
            code.extend(listing(self.analysis, *block));
            let data = self.analysis.blocks.get(*block);
            if self.structure.inner[*block as usize].iter().any(|to| self.is_cold(*to)) {
                marks.push(
                    if data.ends == BlockEnd::JumpI { "  ✗ or fails" } else { "  ✗ then fails" }.to_owned(),
                );
            }
            let calls = self.analysis.cfg.out_edges(*block).iter().filter(|edge| edge.kind == EdgeKind::Call);
            marks.extend(
                calls.map(|edge| format!("  ⇒ calls {:#x}", self.analysis.blocks.get(edge.to).start)),
            );
        }
        let height = match self.analysis.entry_height(blocks[0]) {
            Some((low, high)) if low == high => format!(", height {low}"),
            Some((low, high)) => format!(", height {low}–{high}"),
            None => String::new(),
        };
        let handled = self.handled.get(&blocks[0]);
        let handled = handled.map_or(String::new(), |selector| match self.known.get(selector) {
            Some(signature) => format!(", {signature}"),
            None => format!(", handles 0x{selector:08x}"),
        });
        let mut label = vec![format!("{:#x}{height}{handled}", first.start)];
        let folded = self.folded(&blocks);
        label.extend(shown_lines(code, marks));
        Node {
            start: first.start,
            is_header: self.structure.loops.binary_search_by_key(&blocks[0], |found| found.header).is_ok(),
            is_end: self.structure.inner[last as usize].is_empty(),
            is_cold: self.is_cold(blocks[0]),
            blocks,
            folded,
            label,
        }
    }
}

/// All the code where it is short, its ends otherwise; marks are never more than the rest leaves room for.
pub(super) fn shown_lines(mut code: Vec<String>, mut marks: Vec<String>) -> Vec<String> {
    if code.len() + marks.len() <= SHOWN_LINES {
        code.extend(marks);
        return code;
    }
    let more = marks.len().saturating_sub(SHOWN_LINES - 3);
    marks.truncate(SHOWN_LINES - 3);
    if more > 0 {
        marks.push(format!("  … {more} calls more"));
    }
    let (first, last) = (code.remove(0), code.pop());
    let between = (!code.is_empty()).then(|| format!("  … {} instructions", code.len()));
    [first].into_iter().chain(marks).chain(between).chain(last).collect()
}
