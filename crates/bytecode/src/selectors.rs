//! External functions: which selector leads where.
//!
//! The dispatcher is walked from the entry over blocks that hold few words. A branch that compares
//! a word with a pushed constant of four bytes (`EQ`, `SUB`, `XOR`, negated or not) gives one
//! external function: where control goes when they are equal. The walk does not enter it.

use crate::blocks::{BlockEnd, BlockId, Blocks};
use crate::cfg::{Cfg, EdgeKind};
use crate::decode::instructions;
use crate::optable::{OpKind, OpTable};
use cairn_evm::Opcode;
use serde::Serialize;

/// An external function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Selector {
    /// First four bytes of the calldata.
    pub selector: u32,
    /// Block that handles it.
    pub entry: BlockId,
}

/// A dispatcher keeps at most this many words on the stack.
const MAX_HEIGHT: u32 = 4;

/// A word, as far as the comparison with a selector needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Const(u32),
    Other,
    /// Not zero exactly when something equals the constant.
    Equal(u32),
    /// Zero exactly when something equals the constant.
    Different(u32),
}

pub(crate) fn find_selectors(
    code: &[u8],
    blocks: &Blocks,
    cfg: &Cfg,
    table: &OpTable,
    heights: &[Option<(u32, u32)>],
) -> Vec<Selector> {
    let mut list = Vec::new();
    let mut seen = vec![false; blocks.len()];
    let mut work: Vec<BlockId> = Vec::new();
    if !blocks.is_empty() {
        work.push(0);
    }
    while let Some(block) = work.pop() {
        let is_low = heights[block as usize].is_some_and(|(_, high)| high <= MAX_HEIGHT);
        if std::mem::replace(&mut seen[block as usize], true) || !is_low {
            continue;
        }
        let found = comparison(code, blocks, table, block);
        for edge in cfg.out_edges(block) {
            let equal_way = match found {
                Some((_, EdgeKind::True)) => edge.kind == EdgeKind::True,
                Some(_) => edge.kind == EdgeKind::False,
                None => false,
            };
            match found {
                Some((selector, _)) if equal_way => list.push(Selector { selector, entry: edge.to }),
                _ if matches!(edge.kind, EdgeKind::Call | EdgeKind::Return) => {}
                _ => work.push(edge.to),
            }
        }
    }
    list.sort_unstable();
    list.dedup();
    list
}

/// The selector that the branch at the end of a block compares with, and the way of equality.
fn comparison(code: &[u8], blocks: &Blocks, table: &OpTable, block: BlockId) -> Option<(u32, EdgeKind)> {
    let data = blocks.get(block);
    if data.ends != BlockEnd::JumpI {
        return None;
    }
    let mut stack = vec![Word::Other; data.needs as usize];
    for inst in instructions(code, data.start, data.last_pc) {
        let facts = table[usize::from(inst.opcode.0)];
        let height = stack.len();
        match facts.kind {
            OpKind::Push if inst.opcode == Opcode::PUSH4 && inst.data.len() == 4 => {
                stack.push(Word::Const(inst.data.iter().fold(0, |word, byte| word << 8 | u32::from(*byte))));
            }
            OpKind::Dup => stack.push(stack[height - usize::from(facts.inputs)]),
            OpKind::Swap => stack.swap(height - 1, height - usize::from(facts.inputs)),
            _ => {
                let result = result_of(inst.opcode, &stack);
                stack.truncate(height - usize::from(facts.inputs));
                stack.extend(std::iter::repeat_n(result, usize::from(facts.outputs)));
            }
        }
    }
    match stack.get(stack.len().checked_sub(2)?)? {
        Word::Equal(selector) => Some((*selector, EdgeKind::True)),
        Word::Different(selector) => Some((*selector, EdgeKind::False)),
        Word::Const(_) | Word::Other => None,
    }
}

fn result_of(op: Opcode, stack: &[Word]) -> Word {
    let top = |index: usize| stack.len().checked_sub(1 + index).map_or(Word::Other, |place| stack[place]);
    match (op, top(0), top(1)) {
        (Opcode::EQ, Word::Const(selector), Word::Other)
        | (Opcode::EQ, Word::Other, Word::Const(selector)) => Word::Equal(selector),
        (Opcode::SUB | Opcode::XOR, Word::Const(selector), Word::Other)
        | (Opcode::SUB | Opcode::XOR, Word::Other, Word::Const(selector)) => Word::Different(selector),
        (Opcode::ISZERO, Word::Equal(selector), _) => Word::Different(selector),
        (Opcode::ISZERO, Word::Different(selector), _) => Word::Equal(selector),
        _ => Word::Other,
    }
}
