//! A graph as tests compare it.

use cairn_bytecode::{Analysis, EdgeKind};

/// Offsets of the blocks of each edge, and its kind.
pub(crate) fn edges(analysis: &Analysis<'_>) -> Vec<(u32, u32, EdgeKind)> {
    let start = |block| analysis.blocks.get(block).start;
    analysis.cfg.edges().iter().map(|edge| (start(edge.from), start(edge.to), edge.kind)).collect()
}
