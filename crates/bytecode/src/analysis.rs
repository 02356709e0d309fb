//! What is known of a piece of code.

use crate::absint::{Outcome, Subject};
use crate::blocks::{Block, BlockId, Blocks, NO_BLOCK};
use crate::cfg::Cfg;
use crate::decode::{Instruction, Instructions, instructions};
use crate::function::Function;
use crate::metadata::Metadata;
use crate::optable::{OpFacts, OpTable};
use crate::reach::{Onward, Reach};
use crate::role::Role;
use crate::selectors::{Entry, Selector};
use crate::tables::{TableCopy, copies_of_code};
use cairn_evm::{Fork, Opcode, Word};
use std::ops::Range;
use std::sync::OnceLock;

/// Facts of a piece of code. Borrows the code.
#[derive(Clone, Debug)]
pub struct Analysis<'a> {
    /// The code.
    pub code: &'a [u8],
    /// The fork that it runs on.
    pub fork: Fork,
    /// Whether bytes may follow it.
    pub role: Role,
    /// The compiler's trailer.
    pub metadata: Option<Metadata>,
    /// Basic blocks.
    pub blocks: Blocks,
    /// Edges and jumps.
    pub cfg: Cfg,
    /// Internal functions by entry.
    pub functions: Vec<Function>,
    /// External functions by selector.
    pub selectors: Vec<Selector>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) outcome: Outcome,
    pub(crate) table: OpTable,
    pub(crate) placeholders: Vec<u32>,
    /// See [`Analysis::copies`], once one was asked for.
    pub(crate) copies: OnceLock<Vec<TableCopy>>,
    /// Which external functions get to which blocks, once that was asked for.
    pub(crate) reach: OnceLock<Reach>,
}
impl<'a> Analysis<'a> {
    /// True when every jump's targets are proven complete.
    pub fn is_closed(&self) -> bool {
        self.cfg.is_closed()
    }

    /// True when the work was cut short: every `JUMPDEST` counts as reached then.
    pub fn is_coarse(&self) -> bool {
        self.outcome.is_coarse
    }

    /// True when control can reach the block.
    pub fn is_reached(&self, block: BlockId) -> bool {
        self.outcome.reached[block as usize]
    }

    /// Whether control can reach a block, for each block.
    pub fn reached(&self) -> &[bool] {
        &self.outcome.reached
    }

    /// Lowest and highest stack height at the entry of a block; `None` when it is not reached or
    /// nothing is known.
    pub fn entry_height(&self, block: BlockId) -> Option<(u32, u32)> {
        self.outcome.heights[block as usize]
    }

    /// What [`Analysis::entry_height`] says, for each block.
    pub fn entry_heights(&self) -> &[Option<(u32, u32)>] {
        &self.outcome.heights
    }

    /// Lowest and highest stack height behind a block; `None` where that at its entry is.
    pub fn exit_height(&self, block: BlockId) -> Option<(u32, u32)> {
        let (low, high) = self.entry_height(block)?;
        let net = self.blocks.get(block).net;
        Some((low.saturating_add_signed(net), high.saturating_add_signed(net)))
    }

    /// Blocks that go on, and that ways within one function enter with stacks of different heights. Where
    /// control comes back to such a block, that is a mistake; compilers share ends of functions so.
    pub fn disagreeing_joins(&self) -> &[BlockId] {
        &self.outcome.disagreeing
    }

    /// Blocks that can be entered with fewer words than they need: execution fails there.
    pub fn underflows(&self) -> &[BlockId] {
        &self.outcome.underflows
    }

    /// Blocks that can grow the stack past 1024 words: execution fails there.
    pub fn overflows(&self) -> &[BlockId] {
        &self.outcome.overflows
    }

    /// A shortest way through the graph from the beginning to a block, both included; `None` when
    /// there is none. A witness of what [`Analysis::underflows`] and the like say.
    pub fn way_to(&self, block: BlockId) -> Option<Vec<BlockId>> {
        way_back(&self.blocks_before(), block)
    }

    /// The block before each on a shortest way from the beginning; [`NO_BLOCK`] where there is none.
    pub(crate) fn blocks_before(&self) -> Vec<BlockId> {
        let mut before = vec![NO_BLOCK; self.blocks.len()];
        let mut work = std::collections::VecDeque::from([0]);
        before.iter_mut().take(1).for_each(|first| *first = 0);
        while let Some(here) = work.pop_front().filter(|_| !before.is_empty()) {
            for to in self.cfg.successors(here) {
                if before[to as usize] == NO_BLOCK {
                    before[to as usize] = here;
                    work.push_back(to);
                }
            }
        }
        before
    }

    /// Bytes of code without the compiler's trailer.
    pub fn code_end(&self) -> u32 {
        self.code.len() as u32 - self.metadata.as_ref().map_or(0, |metadata| metadata.length)
    }

    /// What decoding knows of an opcode on the fork.
    pub fn facts(&self, opcode: Opcode) -> OpFacts {
        self.table[usize::from(opcode.0)]
    }

    /// The word that a push pushes; `None` where it is filled in later or cut short by an end that
    /// bytes may follow, and for other opcodes.
    pub fn pushed_word(&self, inst: &Instruction<'_>) -> Option<Word> {
        self.subject().pushed_word(inst)
    }

    /// True when the word that the push at `pc` pushes is filled in later.
    pub fn is_placeholder(&self, pc: u32) -> bool {
        self.placeholders.binary_search(&pc).is_ok()
    }

    pub(crate) fn reach(&self) -> &Reach {
        self.reach.get_or_init(|| {
            let entries: Vec<BlockId> = self.selectors.iter().map(|selector| selector.entry).collect();
            Reach::new(&Onward::new(self.subject(), &self.cfg, &self.outcome, &entries), &entries)
        })
    }

    /// The `CODECOPY`s that read nothing but the code, in order.
    pub(crate) fn copies(&self) -> &[TableCopy] {
        self.copies.get_or_init(|| copies_of_code(&self.subject(), &self.outcome.reached))
    }

    pub(crate) fn subject(&self) -> Subject<'_> {
        Subject {
            code: self.code,
            blocks: &self.blocks,
            table: &self.table,
            role: self.role,
            placeholders: &self.placeholders,
        }
    }

    /// The part of the code that the `CODECOPY` at `pc` reads in, if it is known to read nothing else.
    pub fn table_of_copy(&self, pc: u32) -> Option<Range<u32>> {
        let copies = self.copies();
        let place = copies.binary_search_by_key(&pc, |copy| copy.pc).ok()?;
        Some(copies[place].range.clone())
    }

    /// The instructions of a block.
    pub fn instructions(&self, block: &Block) -> Instructions<'a> {
        instructions(self.code, block.start, block.end)
    }
}

/// The way to a block, from the blocks before each.
pub(crate) fn way_back(before: &[BlockId], block: BlockId) -> Option<Vec<BlockId>> {
    let mut way = vec![block];
    while *way.last()? != 0 {
        let previous = before[*way.last()? as usize];
        (previous != NO_BLOCK).then(|| way.push(previous))?;
    }
    way.reverse();
    Some(way)
}
