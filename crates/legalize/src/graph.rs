//! The control-flow graph as the passes need it: reverse postorder and incoming edges.

use cairn_ir::{Block, BlockCall, EntityRef, Function, Inst, Payload, SecondaryMap};

/// Blocks reachable from the entry in reverse postorder. Of two successors, the one that the
/// terminator names first comes first.
pub(crate) fn reverse_postorder(func: &Function) -> Vec<Block> {
    let mut order = Vec::with_capacity(func.num_blocks());
    let mut is_seen = vec![false; func.num_blocks()];
    let mut successors = Vec::new();
    let mut work = Vec::with_capacity(func.num_blocks());
    work.push((func.layout.entry(), false));
    while let Some((block, is_done)) = work.pop() {
        if is_done {
            order.push(block);
            continue;
        }
        if std::mem::replace(&mut is_seen[block.index()], true) {
            continue;
        }
        work.push((block, true));
        successors.clear();
        func.for_each_successor(block, |target| successors.push(target));
        work.extend(
            successors.iter().filter(|target| !is_seen[target.index()]).map(|target| (*target, false)),
        );
    }
    order.reverse();
    order
}

/// One way into a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The block it leaves.
    pub(crate) from: Block,
    /// That block's terminator.
    pub(crate) inst: Inst,
    /// Which of the terminator's targets (switch: cases, then default).
    pub(crate) index: u32,
}

/// The edges into each block, in layout order of the blocks they leave.
pub(crate) struct IncomingEdges {
    edges: Vec<Edge>,
    starts: Vec<u32>,
}

impl IncomingEdges {
    /// Collects the edges of the blocks in the layout.
    pub(crate) fn compute(func: &Function) -> Self {
        let mut starts = vec![0u32; func.num_blocks() + 1];
        for block in func.layout.blocks() {
            func.for_each_successor(block, |target| starts[target.index() + 1] += 1);
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let last = starts.last().map_or(0, |count| *count as usize);
        let Some(entry) = func.layout.first_block() else {
            return IncomingEdges { edges: Vec::new(), starts };
        };
        let filler = func.layout.first_inst(entry).map(|inst| Edge { from: entry, inst, index: 0 });
        let Some(filler) = filler else { return IncomingEdges { edges: Vec::new(), starts } };
        let mut edges = vec![filler; last];
        let mut next = starts.clone();
        for block in func.layout.blocks() {
            let Some(inst) = func.terminator(block) else { continue };
            let mut index = 0;
            func.dfg.for_each_target(inst, |call| {
                let place = &mut next[call.block.index()];
                edges[*place as usize] = Edge { from: block, inst, index };
                *place += 1;
                index += 1;
            });
        }
        IncomingEdges { edges, starts }
    }

    /// The edges into `block`.
    pub(crate) fn of(&self, block: Block) -> &[Edge] {
        let index = block.index();
        if index + 1 >= self.starts.len() {
            return &[];
        }
        &self.edges[self.starts[index] as usize..self.starts[index + 1] as usize]
    }
}

/// The number of edges into each block of the layout.
pub(crate) fn count_incoming(func: &Function) -> SecondaryMap<Block, u32> {
    let mut counts = SecondaryMap::with_capacity(func.num_blocks());
    for block in func.layout.blocks() {
        func.for_each_successor(block, |target| counts[target] += 1);
    }
    counts
}

/// What an edge passes. Every edge belongs to a `br` or `condbr`.
pub(crate) fn edge_call(func: &Function, edge: Edge) -> BlockCall {
    match func.dfg.inst(edge.inst).payload {
        Payload::Jump(call) => call,
        Payload::Branch(calls) => calls[edge.index as usize],
        Payload::None
        | Payload::Const(_)
        | Payload::Number(_)
        | Payload::Func(_)
        | Payload::Symbol(_)
        | Payload::Switch(_) => unreachable!("invariant: every edge belongs to a `br` or `condbr`"),
    }
}
