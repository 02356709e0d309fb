//! What is interpreted: code, and what is known of it from elsewhere.

use crate::blocks::Blocks;
use crate::decode::Instruction;
use crate::optable::OpTable;
use crate::role::Role;
use crate::tables::Source;
use cairn_evm::Word;

/// Code with its blocks and surroundings.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) code: &'a [u8],
    pub(crate) blocks: &'a Blocks,
    pub(crate) table: &'a OpTable,
    pub(crate) role: Role,
    /// Offsets of pushes whose word is filled in later, sorted.
    pub(crate) placeholders: &'a [u32],
}

impl<'a> Subject<'a> {
    /// What the code may copy from itself.
    pub(crate) fn source(&self) -> Source<'a> {
        Source { code: self.code, table: self.table, placeholders: self.placeholders }
    }

    /// The word that a push pushes; `None` where it is not known, and for other opcodes.
    #[inline]
    pub(crate) fn pushed_word(&self, inst: &Instruction<'_>) -> Option<Word> {
        if self.is_known(inst) { inst.pushed_word() } else { None }
    }

    /// False for a push whose word is filled in later, or cut short where bytes may follow.
    #[inline]
    pub(crate) fn is_known(&self, inst: &Instruction<'_>) -> bool {
        self.is_known_at(inst.pc, inst.next_pc() as usize)
    }

    /// The same for the push at `pc`, given the end of its data.
    #[inline]
    pub(crate) fn is_known_at(&self, pc: u32, end: usize) -> bool {
        let is_placeholder = || self.placeholders.binary_search(&pc).is_ok();
        let is_cut = end > self.code.len() && self.role.is_open();
        (self.placeholders.is_empty() || !is_placeholder()) && !is_cut
    }

    /// True for offsets of bytes that are not known.
    pub(crate) fn is_behind(&self, pc: u32) -> bool {
        self.role.is_open() && pc as usize >= self.code.len()
    }
}
