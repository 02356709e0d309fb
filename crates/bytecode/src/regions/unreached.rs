//! Instructions that control does not reach.

use crate::analysis::Analysis;
use crate::optable::OpKind;
use cairn_evm::Opcode;
use std::ops::Range;

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
        // What compilers put behind code, so that nothing runs on.
        let is_mark = opcode == Opcode::INVALID || (opcode == Opcode::STOP && gap.len() == 1);
        let can_begin = is_entered || is_mark || opcode == Opcode::JUMPDEST;
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
