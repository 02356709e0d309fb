//! Liveness of blocks and of stack slots.
//!
//! A block is *useful* when control reaches it and a regular end is reached from it. A stack slot
//! is *live* at a place when its word can still be used by an operation. Slots are counted from
//! the top; slots deeper than 128 count as live, and so does everything where a jump's targets
//! are not known. A *dead push* is a push whose word no operation uses.

use crate::analysis::Analysis;
use crate::blocks::{BlockEnd, BlockId};
use crate::cfg::Imprecision;
use crate::optable::OpKind;
use cairn_evm::Opcode;

/// Slots by depth: bit 0 is the top.
pub type Slots = u128;

/// See the head of the module.
#[derive(Clone, Debug, Default)]
pub struct Liveness {
    /// By block: reached, and reaching a `STOP`, `RETURN`, `REVERT` or the end of the code.
    pub is_useful: Vec<bool>,
    /// Live slots at the entry of each block.
    pub live_in: Vec<Slots>,
    /// Offsets of dead pushes, sorted.
    pub dead_pushes: Vec<u32>,
}

/// Where a word comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Entry(u32),
    Push(u32),
    Result,
}

/// What a block does to slots.
#[derive(Default)]
struct Transfer {
    used: Slots,
    used_pushes: Vec<u32>,
    pushes: Vec<u32>,
    /// Words at the exit, the topmost last, above what is untouched.
    exit: Vec<Source>,
    /// Words of the entry that those stand in the place of.
    taken: u32,
}

impl Liveness {
    /// Computes both.
    pub fn compute(analysis: &Analysis<'_>) -> Liveness {
        let count = analysis.blocks.len();
        let transfers: Vec<Transfer> =
            (0..count as BlockId).map(|block| transfer_of(analysis, block)).collect();
        let mut liveness =
            Liveness { is_useful: useful(analysis), live_in: vec![0; count], dead_pushes: Vec::new() };
        let preds = predecessors(analysis);
        let mut work: Vec<BlockId> = (0..count as BlockId).collect();
        let mut queued = vec![true; count];
        while let Some(block) = work.pop() {
            queued[block as usize] = false;
            let live = live_before(&transfers[block as usize], liveness.live_out(analysis, block));
            if live != liveness.live_in[block as usize] {
                liveness.live_in[block as usize] = live;
                for pred in &preds[block as usize] {
                    if !std::mem::replace(&mut queued[*pred as usize], true) {
                        work.push(*pred);
                    }
                }
            }
        }
        for block in (0..count as BlockId).filter(|block| analysis.is_reached(*block)) {
            let live = liveness.live_out(analysis, block);
            liveness.dead_pushes.extend(dead_pushes(&transfers[block as usize], live));
        }
        liveness
    }

    /// Live slots after a block.
    pub fn live_out(&self, analysis: &Analysis<'_>, block: BlockId) -> Slots {
        let is_known =
            analysis.cfg.jump_of(block).is_none_or(|jump| jump.status != crate::JumpStatus::Imprecise);
        if !is_known {
            return Slots::MAX;
        }
        analysis.cfg.successors(block).fold(0, |live, to| live | self.live_in[to as usize])
    }
}

fn useful(analysis: &Analysis<'_>) -> Vec<bool> {
    let preds = predecessors(analysis);
    let mut useful = vec![false; analysis.blocks.len()];
    let ends = |block: &BlockId| {
        let data = analysis.blocks.get(*block);
        let byte = Opcode(analysis.code[data.last_pc as usize]);
        let regular = matches!(byte, Opcode::STOP | Opcode::RETURN | Opcode::REVERT | Opcode::SELFDESTRUCT);
        let jump = analysis.cfg.jump_of(*block).and_then(|jump| jump.imprecision);
        analysis.is_reached(*block)
            && (data.ends == BlockEnd::CodeEnd
                || (data.ends == BlockEnd::Halt && regular)
                || jump == Some(Imprecision::TooManyTargets))
    };
    let mut work: Vec<BlockId> = (0..analysis.blocks.len() as BlockId).filter(ends).collect();
    work.iter().for_each(|block| useful[*block as usize] = true);
    while let Some(block) = work.pop() {
        for pred in &preds[block as usize] {
            if !std::mem::replace(&mut useful[*pred as usize], true) {
                work.push(*pred);
            }
        }
    }
    useful
}

fn predecessors(analysis: &Analysis<'_>) -> Vec<Vec<BlockId>> {
    let mut preds = vec![Vec::new(); analysis.blocks.len()];
    for edge in analysis.cfg.edges() {
        preds[edge.to as usize].push(edge.from);
    }
    preds
}

fn bit(depth: u32) -> Slots {
    1u128.checked_shl(depth).unwrap_or(0)
}

fn transfer_of(analysis: &Analysis<'_>, block: BlockId) -> Transfer {
    let data = analysis.blocks.get(block);
    let mut stack: Vec<Source> = (0..data.needs).rev().map(Source::Entry).collect();
    let mut transfer = Transfer { taken: data.needs, ..Transfer::default() };
    for inst in analysis.instructions(data) {
        let facts = analysis.facts(inst.opcode);
        let height = stack.len();
        match facts.kind {
            OpKind::Push => {
                transfer.pushes.push(inst.pc);
                stack.push(Source::Push(inst.pc));
            }
            OpKind::Dup => stack.push(stack[height - usize::from(facts.inputs)]),
            OpKind::Swap => stack.swap(height - 1, height - usize::from(facts.inputs)),
            _ if inst.opcode == Opcode::POP => stack.truncate(height - 1),
            _ => {
                for source in stack.split_off(height - usize::from(facts.inputs)) {
                    match source {
                        Source::Entry(depth) => transfer.used |= bit(depth),
                        Source::Push(pc) => transfer.used_pushes.push(pc),
                        Source::Result => {}
                    }
                }
                stack.extend(std::iter::repeat_n(Source::Result, usize::from(facts.outputs)));
            }
        }
    }
    transfer.exit = stack;
    transfer
}

fn live_before(transfer: &Transfer, live_out: Slots) -> Slots {
    let mut live = transfer.used;
    let count = transfer.exit.len() as u32;
    for (depth, source) in transfer.exit.iter().rev().enumerate() {
        if let Source::Entry(entry) = source
            && live_out & bit(depth as u32) != 0
        {
            live |= bit(*entry);
        }
    }
    let below = live_out.checked_shr(count).unwrap_or(0);
    live | below.checked_shl(transfer.taken).unwrap_or(0)
}

fn dead_pushes(transfer: &Transfer, live_out: Slots) -> Vec<u32> {
    let mut used = transfer.used_pushes.clone();
    for (depth, source) in transfer.exit.iter().rev().enumerate() {
        if let Source::Push(pc) = source
            && (depth >= 128 || live_out & bit(depth as u32) != 0)
        {
            used.push(*pc);
        }
    }
    used.sort_unstable();
    let is_dead = |pc: &u32| used.binary_search(pc).is_err();
    transfer.pushes.iter().copied().filter(is_dead).collect()
}
