//! Leaders and basic blocks.
//!
//! Definitions. A *leader* is offset 0, each `JUMPDEST`, and each instruction after one that may
//! or must leave the straight path: `JUMP`, `JUMPI`, `STOP`, `RETURN`, `REVERT`, `INVALID`,
//! `SELFDESTRUCT`, and any undefined byte. A *block* reaches from a leader to before the next.
//!
//! Block numbers go by offset. Summaries: `uses` and `defs` are the numbers of the net-effect
//! rule (the lowest running height below the entry, and what stands above it at the end); `needs`
//! counts every word that the block looks at.

use crate::optable::{OpFacts, OpKind, OpTable};
use crate::pc_set::{NumberedPcs, PcSet};
use crate::traits::Traits;
use cairn_evm::Opcode;

/// Number of a block: its rank by offset.
pub type BlockId = u32;

/// No block.
pub const NO_BLOCK: BlockId = u32::MAX;

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockEnd {
    /// The next instruction is a leader.
    Fallthrough,
    /// `JUMP`
    Jump,
    /// `JUMPI`
    JumpI,
    /// `STOP`, `RETURN`, `REVERT`, `INVALID`, `SELFDESTRUCT` or an undefined byte.
    Halt,
    /// The code ends: the EVM reads `STOP` there.
    CodeEnd,
}

/// A basic block with its summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Offset of the first instruction.
    pub start: u32,
    /// Offset after the last instruction with its data; at most the length of the code.
    pub end: u32,
    /// Offset of the last instruction.
    pub last_pc: u32,
    /// Offset of the instruction before it; the same where it is alone.
    pub before_last: u32,
    /// How it ends.
    pub ends: BlockEnd,
    /// True when it begins with `JUMPDEST`.
    pub is_jump_target: bool,
    /// Change of the stack height from entry to exit.
    pub net: i32,
    /// Words consumed from the entry stack, by running heights after each instruction.
    pub uses: u32,
    /// Words produced beyond what was consumed.
    pub defs: u32,
    /// Words that must be on the stack at the entry.
    pub needs: u32,
    /// Greatest height above the entry.
    pub peak: u32,
    /// Constant part of its gas.
    pub gas: u64,
    /// What its instructions do beside stack and control.
    pub traits: Traits,
}

/// The blocks of a piece of code.
#[derive(Clone, Debug)]
pub struct Blocks {
    list: Vec<Block>,
    /// Where blocks begin.
    starts: NumberedPcs,
    /// Where jumps may go. They are asked for far more often than the blocks.
    targets: PcSet,
}

impl Blocks {
    /// Splits code into blocks in one sweep.
    pub(crate) fn compute(code: &[u8], table: &OpTable) -> Blocks {
        let mut blocks = Blocks {
            list: Vec::with_capacity(code.len() / 12 + 1),
            starts: NumberedPcs::new(code.len()),
            targets: PcSet::new(code.len()),
        };
        let mut pc = 0;
        while pc < code.len() {
            let block = scan_block(code, pc, table);
            blocks.starts.insert(pc);
            if block.is_jump_target {
                blocks.targets.insert(pc);
            }
            pc = block.end as usize;
            blocks.list.push(block);
        }
        blocks.starts.number_all();
        blocks
    }

    /// All blocks by offset.
    pub fn list(&self) -> &[Block] {
        &self.list
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// True when the code is empty.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The block with this number.
    pub fn get(&self, block: BlockId) -> &Block {
        &self.list[block as usize]
    }

    /// The block that begins at `pc`.
    pub fn starting_at(&self, pc: u32) -> Option<BlockId> {
        self.starts.number(pc as usize)
    }

    /// The block that begins with a `JUMPDEST` at `pc`: where a jump to `pc` goes.
    #[inline]
    pub fn jump_target(&self, pc: u32) -> Option<BlockId> {
        self.is_jump_target(pc).then(|| self.starts.number_below(pc as usize))
    }

    /// True when a jump to `pc` goes somewhere.
    #[inline]
    pub fn is_jump_target(&self, pc: u32) -> bool {
        self.targets.contains(pc as usize)
    }

    /// True when a call can return to `pc`: a jump to it goes somewhere, and something stands before it. Code may begin
    /// with a `JUMPDEST` (Vyper's does), and a zero that lies on the stack is a number.
    #[inline]
    pub(crate) fn is_return_address(&self, pc: u32) -> bool {
        pc > 0 && self.is_jump_target(pc)
    }

    /// Where jumps may go.
    pub(crate) fn jumpdests(&self) -> &PcSet {
        &self.targets
    }

    /// The block that holds offset `pc`.
    pub fn containing(&self, pc: u32) -> Option<BlockId> {
        let index = self.starts.number_from(pc as usize)?;
        (pc < self.get(index).end).then_some(index)
    }

    /// Blocks that begin with `JUMPDEST`.
    pub fn jump_targets(&self) -> impl Iterator<Item = BlockId> + '_ {
        (0..self.list.len() as BlockId).filter(|block| self.get(*block).is_jump_target)
    }
}

/// Running numbers of a block.
#[derive(Default)]
struct Running {
    height: i32,
    lowest: i32,
    /// As `lowest`, in the middle of instructions: when they have taken their operands.
    lowest_within: i32,
    peak: i32,
    gas: u64,
    traits: Traits,
}

impl Running {
    fn step(&mut self, facts: OpFacts) {
        let within = self.height - i32::from(facts.inputs);
        self.lowest_within = self.lowest_within.min(within);
        self.height = within + i32::from(facts.outputs);
        self.lowest = self.lowest.min(self.height);
        self.peak = self.peak.max(self.height);
        self.gas += u64::from(facts.gas);
        self.traits |= facts.traits;
    }
}

/// The block that begins at `start`. A call of its own, so that the loop keeps to registers.
#[inline(never)]
fn scan_block(code: &[u8], start: usize, table: &OpTable) -> Block {
    let mut running = Running::default();
    let mut pc = start;
    let is_jump_target = Opcode(code[start]) == Opcode::JUMPDEST;
    if is_jump_target {
        running.step(table[usize::from(Opcode::JUMPDEST.0)]);
        pc += 1;
    }
    let (mut last_pc, mut before_last) = (start, start);
    let ends = loop {
        let opcode = match code.get(pc) {
            None => break BlockEnd::CodeEnd,
            Some(byte) if Opcode(*byte) == Opcode::JUMPDEST => break BlockEnd::Fallthrough,
            Some(byte) => Opcode(*byte),
        };
        let facts = table[usize::from(opcode.0)];
        running.step(facts);
        before_last = std::mem::replace(&mut last_pc, pc);
        // As the table says, but the next instruction does not wait for that.
        pc += 1 + usize::from(opcode.push_width().unwrap_or(0));
        if let Some(ends) = end_of(facts.kind) {
            break ends;
        }
    };
    Block {
        start: start as u32,
        end: pc.min(code.len()) as u32,
        last_pc: last_pc as u32,
        before_last: before_last as u32,
        ends,
        is_jump_target,
        net: running.height,
        uses: running.lowest.unsigned_abs(),
        defs: (running.height - running.lowest) as u32,
        needs: running.lowest_within.unsigned_abs(),
        peak: running.peak as u32,
        gas: running.gas,
        traits: running.traits,
    }
}

/// How an instruction of a kind ends its block; `None` where it does not.
fn end_of(kind: OpKind) -> Option<BlockEnd> {
    match kind {
        OpKind::Jump => Some(BlockEnd::Jump),
        OpKind::JumpI => Some(BlockEnd::JumpI),
        OpKind::Halt | OpKind::Undefined => Some(BlockEnd::Halt),
        OpKind::Plain
        | OpKind::Push
        | OpKind::Dup
        | OpKind::Swap
        | OpKind::And
        | OpKind::Arithmetic
        | OpKind::Pc
        | OpKind::CodeSize
        | OpKind::JumpDest => None,
    }
}
