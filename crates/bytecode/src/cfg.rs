//! The control-flow graph: labelled edges and the status of each jump.
//!
//! Invariants: edges are sorted and listed once; an edge from an unreached block does not exist;
//! the targets of an imprecise jump are a superset of those that can execute, unless its reason is
//! [`Imprecision::TooManyTargets`]: then that superset is every `JUMPDEST`, and is not listed.

use crate::absint::{MAX_EDGES, Outcome};
use crate::blocks::{BlockEnd, BlockId, Blocks};
use crate::by_block::sort_by_block;
use rustc_hash::FxHashSet;
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
        let mut edges = jump_edges(blocks, outcome, open);
        for (id, block) in blocks.list().iter().enumerate() {
            let kind = match block.ends {
                BlockEnd::Fallthrough => EdgeKind::Fallthrough,
                BlockEnd::JumpI => EdgeKind::False,
                BlockEnd::Jump | BlockEnd::Halt | BlockEnd::CodeEnd => continue,
            };
            let to = id as BlockId + 1;
            if outcome.reached[id] && (to as usize) < blocks.len() && outcome.reached[to as usize] {
                edges.push(Edge { from: id as BlockId, to, kind });
            }
        }
        sort_by_block(&mut edges, blocks.len(), |edge| edge.from, Ord::cmp);
        // A jump to the next block is kept beside falling into it.
        edges.dedup_by(|later, kept| {
            let is_jump = |edge: &Edge| !matches!(edge.kind, EdgeKind::Fallthrough | EdgeKind::False);
            (later.from, later.to) == (kept.from, kept.to) && is_jump(later) && is_jump(kept)
        });
        let starts = index_by_block(&edges, blocks.len());
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

fn jump_edges(blocks: &Blocks, outcome: &Outcome, open: OpenJumps) -> Vec<Edge> {
    let is_conditional = |block: BlockId| blocks.get(block).ends == BlockEnd::JumpI;
    let direct = outcome.edges.iter().map(|edge| {
        let kind = match edge.is_call {
            _ if is_conditional(edge.from) => EdgeKind::True,
            true => EdgeKind::Call,
            false => EdgeKind::Jump,
        };
        Edge { from: edge.from, to: edge.to, kind }
    });
    let back = outcome.returns.iter().map(|(from, to)| {
        let kind = if is_conditional(*from) { EdgeKind::True } else { EdgeKind::Return };
        Edge { from: *from, to: *to, kind }
    });
    let mut edges = Vec::with_capacity(outcome.edges.len() + outcome.returns.len() + blocks.len());
    edges.extend(direct.chain(back));
    if outcome.is_coarse && open == OpenJumps::Listed {
        let targets: Vec<BlockId> = blocks.jump_targets().collect();
        let open = open_jumps(blocks, outcome);
        let kind = |from| if is_conditional(from) { EdgeKind::True } else { EdgeKind::Jump };
        let all = open.flat_map(|from| targets.iter().map(move |to| (from, *to)));
        let known: FxHashSet<(BlockId, BlockId)> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
        let others = all.filter(|ends| !known.contains(ends));
        edges.extend(others.map(|(from, to)| Edge { from, to, kind: kind(from) }));
    }
    edges
}

fn index_by_block(edges: &[Edge], num_blocks: usize) -> Vec<u32> {
    let mut starts = vec![0u32; num_blocks + 1];
    for edge in edges {
        starts[edge.from as usize + 1] += 1;
    }
    for index in 0..num_blocks {
        starts[index + 1] += starts[index];
    }
    starts
}

fn jumps(blocks: &Blocks, outcome: &Outcome, edges: &[Edge], starts: &[u32], open: OpenJumps) -> Vec<Jump> {
    let ends_in_jump = |id: &usize| matches!(blocks.list()[*id].ends, BlockEnd::Jump | BlockEnd::JumpI);
    let ids = (0..blocks.len()).filter(ends_in_jump);
    ids.map(|id| {
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
        Jump { block: id as BlockId, status, can_fail: facts.is_invalid, imprecision }
    })
    .collect()
}

fn imprecision(outcome: &Outcome, block: usize) -> Imprecision {
    match outcome.is_source.get(block) {
        Some(true) => Imprecision::UnknownWord,
        Some(false) => Imprecision::ImpreciseEntry,
        None => Imprecision::CutShort,
    }
}
