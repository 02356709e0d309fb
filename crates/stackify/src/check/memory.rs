//! Frame memory: what each block does to it, and demands on what it holds.

use super::word::{FrameWord, Sym};
use cairn_ir::{Block, Inst, SecondaryMap};
use rustc_hash::{FxHashMap, FxHashSet};

/// The last thing that happened to a word of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A spill stored this.
    Stored(Sym),
    /// The program wrote to this `alloca`, or a saved word of it was restored.
    Owned(Inst),
    /// A call came back to this function and may have overwritten it.
    Lost,
}

/// What a word of the frame must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Content {
    /// This.
    Word(Sym),
    /// What the program left in this `alloca`.
    Owned(Inst),
}

/// A demand at the entry of a block, with the place it comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    /// The block.
    pub(super) block: Block,
    /// The word of the frame.
    pub(super) word: FrameWord,
    /// What it must hold.
    pub(super) content: Content,
    /// Block and step that rely on it.
    pub(super) origin: (Block, usize),
}

/// What one block does to the frame.
#[derive(Clone, Debug, Default)]
struct BlockEvents {
    /// The last event for each word.
    last: FxHashMap<FrameWord, Event>,
    /// True if everything else may be overwritten.
    is_lost: bool,
}

/// What the blocks of a function do to its frame.
#[derive(Debug, Default)]
pub(super) struct Memory {
    blocks: SecondaryMap<Block, BlockEvents>,
    demands: Demands,
}

/// Demands made so far.
#[derive(Debug, Default)]
pub(super) struct Demands {
    seen: FxHashSet<(Block, FrameWord, Content)>,
    worklist: Vec<Demand>,
}

impl Memory {
    /// The last event of a word in a block, so far.
    pub(super) fn last(&self, block: Block, word: FrameWord) -> Option<Event> {
        let events = &self.blocks[block];
        events.last.get(&word).copied().or(events.is_lost.then_some(Event::Lost))
    }

    /// Something happens to a word.
    pub(super) fn record(&mut self, block: Block, word: FrameWord, event: Event) {
        self.blocks[block].last.insert(word, event);
    }

    /// Everything may be overwritten.
    pub(super) fn lose_all(&mut self, block: Block) {
        let events = &mut self.blocks[block];
        events.last.clear();
        events.is_lost = true;
    }

    /// Adds a demand, unless it was made before.
    pub(super) fn demand(&mut self, demand: Demand) {
        if self.demands.seen.insert((demand.block, demand.word, demand.content)) {
            self.demands.worklist.push(demand);
        }
    }

    /// The next demand to follow.
    pub(super) fn next_demand(&mut self) -> Option<Demand> {
        self.demands.worklist.pop()
    }

    /// Takes all demands away, so that others can be tried.
    pub(super) fn take_demands(&mut self) -> Demands {
        std::mem::take(&mut self.demands)
    }

    /// Replaces the demands tried by those taken away.
    pub(super) fn put_back(&mut self, demands: Demands) {
        self.demands = demands;
    }
}
