//! What bytes are that control does not reach: another contract, or instructions all the same.

use super::find::regions_within;
use super::{Region, RegionKind};
use crate::analysis::Analysis;
use crate::analyze::{Given, analyze_given};
use crate::optable::OpKind;
use cairn_evm::{Fork, Opcode};
use std::ops::Range;

/// The contract that bytes at `base` are, if they run as one.
pub(super) fn contract_of(bytes: &[u8], fork: Fork, base: u32, depth: u32) -> Option<RegionKind> {
    let depth = depth.checked_sub(1)?;
    let analysis = analyze_given(bytes, Given { fork, ..Given::default() });
    if analysis.is_coarse() || !analysis.underflows().is_empty() || !comes_to_an_end(&analysis) {
        return None;
    }
    let regions = regions_within(&analysis, base, depth);
    let runs = |region: &&Region| match region.kind {
        RegionKind::Code | RegionKind::Contract { .. } | RegionKind::Metadata(_) => true,
        // On the last level contracts are not told from data.
        RegionKind::Data => depth == 0,
        RegionKind::Unreached | RegionKind::Arguments => false,
    };
    let running: usize = regions.iter().filter(runs).map(|region| region.bytes.len()).sum();
    (2 * running >= bytes.len()).then_some(RegionKind::Contract { role: analysis.role, regions })
}

/// True when some way through the code ends with a result.
fn comes_to_an_end(analysis: &Analysis<'_>) -> bool {
    let reached = (0..).zip(analysis.blocks.list()).filter(|(id, _)| analysis.is_reached(*id));
    let mut lasts = reached.map(|(_, block)| Opcode(analysis.code[block.last_pc as usize]));
    lasts.any(|last| last == Opcode::RETURN || last == Opcode::REVERT)
}

/// Where whole blocks end that stand at the beginning of a gap and that control could get to, if it were not known
/// that it does not.
pub(super) fn unreached_code(analysis: &Analysis<'_>, gap: Range<usize>) -> usize {
    let (mut at, mut end) = (gap.start, gap.start);
    let before = analysis.blocks.list().partition_point(|block| (block.end as usize) <= gap.start);
    let before = before.checked_sub(1).map(|index| analysis.blocks.list()[index]);
    // Behind a branch that always jumps stands the way that is never taken.
    let mut is_entered = before
        .is_some_and(|block| Opcode(analysis.code[block.last_pc as usize]) == Opcode::JUMPI)
        || gap.start == 0;
    while at < gap.end {
        let opcode = Opcode(analysis.code[at]);
        let facts = analysis.facts(opcode);
        let next = at + 1 + usize::from(facts.immediate);
        let can_begin = is_entered || opcode == Opcode::JUMPDEST || opcode == Opcode::INVALID;
        if !can_begin || next > gap.end {
            break;
        }
        at = next;
        is_entered = match facts.kind {
            OpKind::Undefined => break,
            OpKind::Jump | OpKind::Halt => {
                end = at;
                false
            }
            OpKind::JumpI | OpKind::JumpDest | OpKind::Push | OpKind::Dup | OpKind::Swap | OpKind::Pc => true,
            OpKind::And | OpKind::Arithmetic | OpKind::Plain | OpKind::CodeSize => true,
        };
    }
    let is_code_behind = || {
        let behind = analysis.blocks.starting_at(gap.end as u32);
        behind.is_some_and(|block| analysis.is_reached(block))
    };
    if at == gap.end && is_entered && is_code_behind() { gap.end } else { end }
}
