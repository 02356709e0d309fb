//! What instructions may do to the word of the pointer to free memory.
//!
//! A region is there if it may hold a byte of the word: where its address is made of constants, as far
//! as [`Ranges`] tell; where it is computed, only if it surely lies below what is allocated. Other
//! computed addresses are taken to keep off the word (A17). What is computed is said there, too: in a module
//! marked `[unguarded]` only what depends on words that were found in memory.

use crate::memory::WORD;
use crate::pointer_word::ADDRESS;
use crate::ranges::{Range, Ranges, Words};
use crate::rules::Facts;
use cairn_evm::memory::{MemoryLength, MemoryRegion, memory_read, memory_write};
use cairn_evm::{Effects, Opcode, Word};
use cairn_ir::{Block, Func, Inst, Module, Op, Value};

/// What an instruction may write there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// All of it: this word.
    Word(Value),
    /// Some of it, or something else.
    Other,
}

/// See the head of this module.
pub(crate) struct WordAccess<'a> {
    pub(crate) module: &'a Module,
    pub(crate) ranges: Ranges<'a>,
    /// What pointers are not below.
    pub(crate) least: u64,
}

impl WordAccess<'_> {
    /// What an instruction writes there, if it may; calls of functions are left to the caller.
    pub(crate) fn written(&self, id: Func, block: Block, inst: Inst) -> Option<Written> {
        let func = &self.module.funcs[id];
        let args = func.dfg.args(inst);
        let opcode = match func.dfg.op(inst) {
            Op::Evm(opcode) => opcode,
            Op::Icall => return None,
            op => {
                let writes = op.effects().intersects(Effects::WRITE_MEMORY);
                return (writes && self.may_be_behind(id, block, inst)).then_some(Written::Other);
            }
        };
        let region = memory_write(opcode)?;
        if !self.may_be_there(id, block, inst, region) {
            return None;
        }
        let start = self.ranges.at(id, block, args[0]);
        let is_whole = start.is_some_and(|start| start.all.facts.as_word() == Some(Word::from(ADDRESS)));
        Some(match opcode {
            Opcode::MSTORE if is_whole => Written::Word(args[1]),
            _ => Written::Other,
        })
    }

    /// True if an instruction may read a byte of it; calls of functions are left to the caller.
    pub(crate) fn reads(&self, id: Func, block: Block, inst: Inst) -> bool {
        let func = &self.module.funcs[id];
        match func.dfg.op(inst) {
            Op::Evm(opcode) => {
                memory_read(opcode).is_some_and(|region| self.may_be_there(id, block, inst, region))
            }
            Op::Icall => false,
            op => op.effects().intersects(Effects::READ_MEMORY) && self.may_be_behind(id, block, inst),
        }
    }

    /// For what is no operation of the EVM: `datacopy` and `setimmutable` use memory from their first operand on.
    fn may_be_behind(&self, id: Func, block: Block, inst: Inst) -> bool {
        let dfg = &self.module.funcs[id].dfg;
        match dfg.op(inst) {
            Op::DataCopy | Op::SetImmutable => {
                let start = self.ranges.at(id, block, dfg.args(inst)[0]);
                start.is_some_and(|start| self.is_there(&start, &Facts::ANY))
            }
            _ => true,
        }
    }

    fn may_be_there(&self, id: Func, block: Block, inst: Inst, region: MemoryRegion) -> bool {
        let args = self.module.funcs[id].dfg.args(inst);
        let at = |index: u8| self.ranges.at(id, block, args[usize::from(index)]);
        let length = match region.length {
            MemoryLength::Fixed(bytes) => Some(Facts::exactly(Word::from(bytes))),
            MemoryLength::Operand(index) => at(index).map(|range| range.all.facts),
        };
        // Without words the instruction is never reached.
        let (Some(start), Some(length)) = (at(region.start), length) else {
            return false;
        };
        self.is_there(&start, &length)
    }

    fn is_there(&self, start: &Range, length: &Facts) -> bool {
        let is_there = |words: &Words| {
            let end = words.facts.hi().saturating_add(length.hi());
            !length.hi().is_zero()
                && words.facts.lo() < Word::from(ADDRESS + WORD)
                && end > Word::from(ADDRESS)
        };
        let is_below = start.is_computed && start.all.facts.hi() < Word::from(self.least);
        start.plain.as_ref().is_some_and(is_there) || (is_below && is_there(&start.all))
    }
}
