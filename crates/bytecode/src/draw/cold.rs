//! Blocks that always fail: what a picture folds away.
//!
//! A block is *cold* when every way from it ends in a failure of the frame: it reverts, runs into
//! an invalid instruction, or calls a function that is cold itself. What it does before that is
//! undone. A loop without end is not cold. Cost: linear.

use crate::analysis::Analysis;
use crate::blocks::{BlockEnd, BlockId};
use crate::cfg::{EdgeKind, JumpStatus};
use crate::structure::Structure;
use cairn_evm::Opcode;

/// By block: true when it is cold.
pub(super) fn find_cold(analysis: &Analysis<'_>, structure: &Structure) -> Vec<bool> {
    let count = analysis.blocks.len();
    // Ways out of a block that are not known to be cold; a call without return has its callee.
    let mut open = vec![0usize; count];
    let mut preds: Vec<Vec<BlockId>> = vec![Vec::new(); count];
    let mut cold = vec![false; count];
    let mut work = Vec::new();
    for block in 0..count as BlockId {
        let ways = ways(analysis, structure, block);
        open[block as usize] = ways.len();
        ways.iter().for_each(|to| preds[*to as usize].push(block));
        if fails_at_once(analysis, block) {
            cold[block as usize] = true;
            work.push(block);
        }
    }
    while let Some(block) = work.pop() {
        for before in &preds[block as usize] {
            let left = &mut open[*before as usize];
            *left -= 1;
            if *left == 0 && !std::mem::replace(&mut cold[*before as usize], true) {
                work.push(*before);
            }
        }
    }
    cold
}

/// Where a frame goes on after the block.
fn ways(analysis: &Analysis<'_>, structure: &Structure, block: BlockId) -> Vec<BlockId> {
    let inner = &structure.inner[block as usize];
    if !inner.is_empty() {
        return inner.clone();
    }
    let edges = analysis.cfg.out_edges(block);
    if edges.iter().any(|edge| edge.kind != EdgeKind::Call) {
        return Vec::new();
    }
    edges.iter().map(|edge| edge.to).collect()
}

/// True when the block itself ends in a failure.
fn fails_at_once(analysis: &Analysis<'_>, block: BlockId) -> bool {
    let data = analysis.blocks.get(block);
    match data.ends {
        BlockEnd::Halt => {
            let last = Opcode(analysis.code[data.last_pc as usize]);
            !matches!(last, Opcode::STOP | Opcode::RETURN | Opcode::SELFDESTRUCT)
        }
        BlockEnd::Jump => analysis.cfg.jump_of(block).is_some_and(|jump| jump.status == JumpStatus::Invalid),
        BlockEnd::JumpI | BlockEnd::Fallthrough | BlockEnd::CodeEnd => false,
    }
}
