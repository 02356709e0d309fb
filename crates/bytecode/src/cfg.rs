//! The control-flow graph: labelled edges and the status of each jump.
//!
//! Invariants: edges are sorted and listed once; an edge from an unreached block does not exist;
//! the targets of an imprecise jump are a superset of those that can execute, unless its reason is
//! [`Imprecision::TooManyTargets`]: then that superset is every `JUMPDEST`, and is not listed.

use crate::absint::{MAX_EDGES, Outcome};
use crate::blocks::{Block, BlockEnd, BlockId, Blocks};
use serde::Serialize;

/// How control gets along an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EdgeKind {
    /// Into the next block, without a jump.
    Fallthrough,
    /// `JUMP`.
    Jump,
    /// `JUMPI` that jumps.
    True,
    /// `JUMPI` that does not.
    False,
    /// `JUMP` that leaves an address to return to.
    Call,
    /// `JUMP` to an address that a caller left.
    Return,
}

impl EdgeKind {
    /// All, in the order of their numbers.
    pub const ALL: [EdgeKind; 6] = [
        EdgeKind::Fallthrough,
        EdgeKind::Jump,
        EdgeKind::True,
        EdgeKind::False,
        EdgeKind::Call,
        EdgeKind::Return,
    ];

    /// Name in all outputs.
    pub const fn name(self) -> &'static str {
        match self {
            EdgeKind::Fallthrough => "fallthrough",
            EdgeKind::Jump => "jump",
            EdgeKind::True => "true",
            EdgeKind::False => "false",
            EdgeKind::Call => "call",
            EdgeKind::Return => "return",
        }
    }
}

/// An edge between blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Where it begins.
    pub from: BlockId,
    /// Where it ends.
    pub to: BlockId,
    /// How.
    pub kind: EdgeKind,
}

/// What is known of a jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum JumpStatus {
    /// The targets are proven complete.
    Resolved,
    /// The targets are more than those that can execute.
    Imprecise,
    /// It always fails: no target is a `JUMPDEST`.
    Invalid,
    /// It is never executed.
    Dead,
}

impl JumpStatus {
    /// All, in the order of their numbers.
    pub const ALL: [JumpStatus; 4] =
        [JumpStatus::Resolved, JumpStatus::Imprecise, JumpStatus::Invalid, JumpStatus::Dead];

    /// Name in all outputs.
    pub const fn name(self) -> &'static str {
        match self {
            JumpStatus::Resolved => "resolved",
            JumpStatus::Imprecise => "imprecise",
            JumpStatus::Invalid => "invalid",
            JumpStatus::Dead => "dead",
        }
    }
}

/// Why a jump's targets are more than those that can execute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Imprecision {
    /// It jumps to a word that is not known, such as one from memory, storage or calldata.
    UnknownWord,
    /// Its targets are known as long as control does not get there from another imprecise jump.
    ImpreciseEntry,
    /// The work was cut short.
    CutShort,
    /// It may go to every `JUMPDEST`, and there are too many edges of that kind to list them.
    TooManyTargets,
}

impl Imprecision {
    /// Name in all outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Imprecision::UnknownWord => "unknown-word",
            Imprecision::ImpreciseEntry => "imprecise-entry",
            Imprecision::CutShort => "cut-short",
            Imprecision::TooManyTargets => "too-many-targets",
        }
    }

    /// A sentence for people, without a subject.
    pub const fn describe(self) -> &'static str {
        match self {
            Imprecision::UnknownWord => {
                "jumps to a word that is not known, such as one from memory, storage or calldata"
            }
            Imprecision::ImpreciseEntry => {
                "has known targets, but an imprecise jump may get there with any stack"
            }
            Imprecision::CutShort => "is not known because the analysis was cut short",
            Imprecision::TooManyTargets => {
                "may go to every `JUMPDEST`, and such edges are too many to list them"
            }
        }
    }
}

/// A `JUMP` or `JUMPI`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// Its block.
    pub block: BlockId,
    /// What is known of it.
    pub status: JumpStatus,
    /// True when some target is no `JUMPDEST`: then it can fail.
    pub can_fail: bool,
    /// Why it is imprecise, if it is.
    pub imprecision: Option<Imprecision>,
}

/// The graph.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    edges: Vec<Edge>,
    /// Index of the first edge of each block, and the number of edges.
    starts: Vec<u32>,
    jumps: Vec<Jump>,
}

impl Cfg {
    pub(crate) fn compute(blocks: &Blocks, outcome: &Outcome) -> Cfg {
        let open = OpenJumps::of(blocks, outcome);
        let (edges, starts) = edges(blocks, outcome, open);
        let jumps = jumps(blocks, outcome, &edges, &starts, open);
        Cfg { edges, starts, jumps }
    }

    /// Keeps the name of a call for edges into functions, given by their sorted entries.
    pub(crate) fn name_calls(&mut self, entries: &[BlockId]) {
        for edge in self.edges.iter_mut().filter(|edge| edge.kind == EdgeKind::Call) {
            if entries.binary_search(&edge.to).is_err() {
                edge.kind = EdgeKind::Jump;
            }
        }
    }

    /// All edges, sorted by their beginning.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Edges out of a block.
    pub fn out_edges(&self, block: BlockId) -> &[Edge] {
        let range = self.starts[block as usize] as usize..self.starts[block as usize + 1] as usize;
        &self.edges[range]
    }

    /// Successors of a block.
    pub fn successors(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.out_edges(block).iter().map(|edge| edge.to)
    }

    /// All jumps by offset.
    pub fn jumps(&self) -> &[Jump] {
        &self.jumps
    }

    /// The jump at the end of a block.
    pub fn jump_of(&self, block: BlockId) -> Option<&Jump> {
        let index = self.jumps.binary_search_by_key(&block, |jump| jump.block).ok()?;
        Some(&self.jumps[index])
    }

    /// Blocks that the jump at the end of `block` goes to.
    pub fn jump_targets(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        let jumps = |edge: &&Edge| !matches!(edge.kind, EdgeKind::Fallthrough | EdgeKind::False);
        self.out_edges(block).iter().filter(jumps).map(|edge| edge.to)
    }

    /// True when every jump is resolved, invalid or dead.
    pub fn is_closed(&self) -> bool {
        self.jumps.iter().all(|jump| jump.status != JumpStatus::Imprecise)
    }
}

/// Open jumps of a coarse outcome.
fn open_jumps<'a>(blocks: &Blocks, outcome: &'a Outcome) -> impl Iterator<Item = BlockId> + 'a {
    (0..blocks.len() as BlockId).filter(|block| outcome.jumps[*block as usize].is_unresolved)
}

/// What becomes of the edges from open jumps to every `JUMPDEST`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenJumps {
    Listed,
    /// They are too many for a list.
    LeftOut,
}

impl OpenJumps {
    fn of(blocks: &Blocks, outcome: &Outcome) -> OpenJumps {
        let count = || open_jumps(blocks, outcome).count() * blocks.jump_targets().count();
        if outcome.is_coarse && count() > MAX_EDGES { OpenJumps::LeftOut } else { OpenJumps::Listed }
    }
}

/// All edges in their order, and the first of each block with the number of all.
fn edges(blocks: &Blocks, outcome: &Outcome, open: OpenJumps) -> (Vec<Edge>, Vec<u32>) {
    let (mut direct, mut back) = (&outcome.edges[..], &outcome.returns[..]);
    let mut edges = Vec::with_capacity(direct.len() + back.len() + blocks.len());
    let mut starts = Vec::with_capacity(blocks.len() + 1);
    let lists_open = outcome.is_coarse && open == OpenJumps::Listed;
    let targets: Vec<BlockId> = if lists_open { blocks.jump_targets().collect() } else { Vec::new() };
    for (from, block) in (0..).zip(blocks.list()) {
        let first = edges.len();
        starts.push(first as u32);
        let is_conditional = block.ends == BlockEnd::JumpI;
        let jump = |to, other| Edge { from, to, kind: if is_conditional { EdgeKind::True } else { other } };
        while let [edge, rest @ ..] = direct
            && edge.from == from
        {
            edges.push(jump(edge.to, if edge.is_call { EdgeKind::Call } else { EdgeKind::Jump }));
            direct = rest;
        }
        while let [(before, to), rest @ ..] = back
            && *before == from
        {
            edges.push(jump(*to, EdgeKind::Return));
            back = rest;
        }
        if lists_open && outcome.jumps[from as usize].is_unresolved {
            let mut known: Vec<BlockId> = edges[first..].iter().map(|edge| edge.to).collect();
            known.sort_unstable();
            let others = targets.iter().filter(|to| known.binary_search(to).is_err());
            edges.extend(others.map(|to| jump(*to, EdgeKind::Jump)));
        }
        edges.extend(fall(from, block, blocks, outcome));
        bring_into_order(&mut edges, first);
    }
    starts.push(edges.len() as u32);
    debug_assert!(direct.is_empty() && back.is_empty(), "what is found is in the order of blocks");
    (edges, starts)
}

/// The edge from a block into the next, without a jump.
fn fall(from: BlockId, block: &Block, blocks: &Blocks, outcome: &Outcome) -> Option<Edge> {
    let kind = match block.ends {
        BlockEnd::Fallthrough => EdgeKind::Fallthrough,
        BlockEnd::JumpI => EdgeKind::False,
        BlockEnd::Jump | BlockEnd::Halt | BlockEnd::CodeEnd => return None,
    };
    let to = from + 1;
    let is_reached = |block: BlockId| outcome.reached[block as usize];
    ((to as usize) < blocks.len() && is_reached(from) && is_reached(to)).then_some(Edge { from, to, kind })
}

/// Sorts the edges of a block, which begin at `first`, and keeps each jump once. A jump to the next block is kept
/// beside falling into it.
fn bring_into_order(edges: &mut Vec<Edge>, first: usize) {
    let of_block = &mut edges[first..];
    if of_block.len() < 2 {
        return;
    }
    of_block.sort_unstable();
    let is_jump = |edge: Edge| !matches!(edge.kind, EdgeKind::Fallthrough | EdgeKind::False);
    let mut last = 0;
    for place in 1..of_block.len() {
        let (kept, edge) = (of_block[last], of_block[place]);
        if kept.to != edge.to || !is_jump(edge) {
            last += 1;
            of_block[last] = edge;
        }
    }
    edges.truncate(first + last + 1);
}

fn jumps(blocks: &Blocks, outcome: &Outcome, edges: &[Edge], starts: &[u32], open: OpenJumps) -> Vec<Jump> {
    let mut jumps = Vec::with_capacity(blocks.len());
    for (id, block) in blocks.list().iter().enumerate() {
        if !matches!(block.ends, BlockEnd::Jump | BlockEnd::JumpI) {
            continue;
        }
        let facts = outcome.jumps[id];
        let out = &edges[starts[id] as usize..starts[id + 1] as usize];
        let has_target = out.iter().any(|edge| edge.kind != EdgeKind::False);
        let status = match () {
            () if !outcome.reached[id] => JumpStatus::Dead,
            () if facts.is_unresolved => JumpStatus::Imprecise,
            // Reached, but the stack runs out before the jump: it never executes.
            () if !has_target && !facts.is_invalid => JumpStatus::Dead,
            () if !has_target => JumpStatus::Invalid,
            () => JumpStatus::Resolved,
        };
        let imprecision = (status == JumpStatus::Imprecise).then(|| match open {
            OpenJumps::Listed => imprecision(outcome, id),
            OpenJumps::LeftOut => Imprecision::TooManyTargets,
        });
        jumps.push(Jump { block: id as BlockId, status, can_fail: facts.is_invalid, imprecision });
    }
    jumps
}

fn imprecision(outcome: &Outcome, block: usize) -> Imprecision {
    match outcome.is_source.get(block) {
        Some(true) => Imprecision::UnknownWord,
        Some(false) => Imprecision::ImpreciseEntry,
        None => Imprecision::CutShort,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_is_kept_once_and_beside_a_fall() {
        let edge = |to, kind| Edge { from: 1, to, kind };
        let before = Edge { from: 0, to: 9, kind: EdgeKind::Return };
        let branch = [edge(2, EdgeKind::False), edge(2, EdgeKind::True), edge(1, EdgeKind::True)];
        let mut edges = vec![before];
        edges.extend(branch.into_iter().chain([edge(2, EdgeKind::True)]));
        bring_into_order(&mut edges, 1);
        assert_eq!(edges, [before, branch[2], branch[1], branch[0]]);
        edges.splice(1.., [edge(2, EdgeKind::Return), edge(2, EdgeKind::Call)]);
        bring_into_order(&mut edges, 1);
        assert_eq!(edges, [before, edge(2, EdgeKind::Call)]);
    }
}
