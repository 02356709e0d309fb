//! What is drawn, without places.

use crate::analysis::Analysis;
use crate::blocks::{BlockEnd, BlockId};
use crate::cfg::EdgeKind;
use crate::report::listing;
use crate::structure::Structure;
use cairn_evm::Opcode;

/// A chain of blocks that are always executed one after the other.
#[derive(Clone, Debug)]
pub struct Node {
    /// Offset of the first instruction.
    pub start: u32,
    /// Blocks in order.
    pub blocks: Vec<BlockId>,
    /// Lines that are shown.
    pub label: Vec<String>,
    /// True inside of a loop's header.
    pub is_header: bool,
    /// True when it ends the frame.
    pub is_end: bool,
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

/// The program.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// The program's beginning, then functions by offset.
    pub clusters: Vec<Cluster>,
}

/// Lines of instructions that a node shows.
const SHOWN_LINES: usize = 7;

impl Picture {
    /// The picture of an analysis.
    pub fn of(analysis: &Analysis<'_>) -> Picture {
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
        let draw = |(owner, blocks): (&BlockId, &Vec<BlockId>)| {
            ClusterBuilder { analysis, structure: &structure, preds: &preds, only_pred: &only_pred }
                .build(*owner, blocks)
        };
        Picture { clusters: owners.iter().zip(&by_owner).map(draw).collect() }
    }
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

struct ClusterBuilder<'a, 'c> {
    analysis: &'a Analysis<'c>,
    structure: &'a Structure,
    preds: &'a [u32],
    /// Some predecessor of each block.
    only_pred: &'a [Option<BlockId>],
}

impl ClusterBuilder<'_, '_> {
    fn build(&self, owner: BlockId, blocks: &[BlockId]) -> Cluster {
        let owned = |block: BlockId| self.structure.function_of[block as usize] == Some(owner);
        let shown: Vec<BlockId> =
            blocks.iter().copied().filter(|block| *block == owner || !self.is_cold(*block)).collect();
        let mut node_of = std::collections::BTreeMap::new();
        let mut cluster = Cluster { title: self.title(owner), ..Cluster::default() };
        let firsts = shown.iter().copied().filter(|block| *block == owner || !self.continues(*block, owner));
        let mut firsts: Vec<BlockId> = firsts.collect();
        firsts.sort_by_key(|block| (*block != owner, *block));
        for first in firsts {
            let mut chain = vec![first];
            while let Some(next) = self.next_in_chain(*chain.last().unwrap_or(&first), owner) {
                if chain.contains(&next) {
                    break;
                }
                chain.push(next);
            }
            chain.iter().for_each(|block| {
                node_of.insert(*block, cluster.nodes.len());
            });
            cluster.nodes.push(self.node(chain));
        }
        for index in 0..cluster.nodes.len() {
            let Some(last) = cluster.nodes[index].blocks.last().copied() else { continue };
            for to in &self.structure.inner[last as usize] {
                let Some(target) = node_of.get(to).copied().filter(|_| owned(*to)) else { continue };
                let is_back = self.structure.back_edges.binary_search(&(last, *to)).is_ok();
                cluster.lines.push(Line { from: index, to: target, kind: self.kind(last, *to), is_back });
            }
        }
        cluster
    }

    fn title(&self, owner: BlockId) -> String {
        let start = self.analysis.blocks.get(owner).start;
        match self.analysis.functions.iter().find(|function| function.entry == owner) {
            Some(function) => {
                let rets = function.rets.map_or("never returns".to_owned(), |rets| format!("returns {rets}"));
                format!("function {start:#x}: takes {}, {rets}", function.params)
            }
            None => "main".to_owned(),
        }
    }

    fn kind(&self, from: BlockId, to: BlockId) -> EdgeKind {
        let found = self.analysis.cfg.out_edges(from).iter().find(|edge| edge.to == to);
        found.map_or(EdgeKind::Call, |edge| edge.kind)
    }

    /// A block that reverts or fails and does nothing else that matters.
    fn is_cold(&self, block: BlockId) -> bool {
        let data = self.analysis.blocks.get(block);
        let last = Opcode(self.analysis.code[data.last_pc as usize]);
        data.ends == BlockEnd::Halt && !matches!(last, Opcode::STOP | Opcode::RETURN | Opcode::SELFDESTRUCT)
    }

    /// The one successor of a block that has no other predecessor.
    fn next_in_chain(&self, block: BlockId, owner: BlockId) -> Option<BlockId> {
        let warm: Vec<BlockId> =
            self.structure.inner[block as usize].iter().copied().filter(|to| !self.is_cold(*to)).collect();
        let [next] = warm[..] else { return None };
        let same = self.structure.function_of[next as usize] == Some(owner) && next != owner;
        (same && self.preds[next as usize] == 1).then_some(next)
    }

    fn continues(&self, block: BlockId, owner: BlockId) -> bool {
        let before = self.only_pred[block as usize];
        before.is_some_and(|before| self.next_in_chain(before, owner) == Some(block))
    }

    fn node(&self, blocks: Vec<BlockId>) -> Node {
        let first = self.analysis.blocks.get(blocks[0]);
        let last = blocks[blocks.len() - 1];
        let mut lines: Vec<String> = Vec::new();
        for block in &blocks {
            lines.extend(listing(self.analysis, *block));
            let cold = self.structure.inner[*block as usize].iter().filter(|to| self.is_cold(**to)).count();
            if cold > 0 {
                lines.push("  ✗ or fails".to_owned());
            }
            for edge in self.analysis.cfg.out_edges(*block).iter().filter(|edge| edge.kind == EdgeKind::Call)
            {
                lines.push(format!("  ⇒ calls {:#x}", self.analysis.blocks.get(edge.to).start));
            }
        }
        let height = match self.analysis.entry_height(blocks[0]) {
            Some((low, high)) if low == high => format!(", height {low}"),
            Some((low, high)) => format!(", height {low}–{high}"),
            None => String::new(),
        };
        let handled = self.analysis.selectors.iter().find(|selector| selector.entry == blocks[0]);
        let handled = handled.map_or(String::new(), |found| format!(", handles 0x{:08x}", found.selector));
        let mut label = vec![format!("{:#x}{height}{handled}", first.start)];
        if lines.len() > SHOWN_LINES {
            let marks: Vec<String> =
                lines.iter().filter(|line| line.starts_with("  ")).take(SHOWN_LINES - 3).cloned().collect();
            label.push(lines[0].clone());
            label.extend(marks);
            label.push(format!("  … {} instructions", lines.len()));
            label.push(lines[lines.len() - 1].clone());
        } else {
            label.extend(lines);
        }
        Node {
            start: first.start,
            is_header: self.structure.loops.iter().any(|found| found.header == blocks[0]),
            is_end: self.structure.inner[last as usize].is_empty(),
            blocks,
            label,
        }
    }
}
