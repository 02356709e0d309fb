//! What each instruction touches.

use super::fields::Fields;
use super::place::{Field, FieldType, PathStep, Spot};
use super::search::{Origins, Searcher};
use crate::analysis::Analysis;
use crate::blocks::BlockId;
use crate::traits::Traits;
use cairn_evm::{Opcode, Word};
use smallvec::SmallVec;

/// What an instruction does to storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// `SLOAD`
    Load,
    /// `SSTORE`
    Store,
    /// `TLOAD`
    TransientLoad,
    /// `TSTORE`
    TransientStore,
}

impl Access {
    /// Name in all outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Access::Load => "load",
            Access::Store => "store",
            Access::TransientLoad => "transient-load",
            Access::TransientStore => "transient-store",
        }
    }
}

/// An instruction that reads or writes storage, with one place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StorageAccess {
    /// Offset of the instruction.
    pub pc: u32,
    /// What it does.
    pub access: Access,
    /// The slot that it touches, or of the mapping or array that it touches; `None` when it can
    /// touch places that are not known.
    pub slot: Option<Word>,
    /// The way from the slot to the place.
    pub steps: SmallVec<[PathStep; 4]>,
    /// Bytes of the word below the field.
    pub offset: u8,
    /// Bytes of the field.
    pub size: u8,
    /// What the code takes the field for.
    pub kind: FieldType,
    /// A load of a word that is stored again with another field: nothing of it is read.
    pub is_update: bool,
}

/// A `LOG` instruction, with one first topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// Offset of the instruction.
    pub pc: u32,
    /// Number of topics, 0 to 4.
    pub topics: u8,
    /// A first topic that it can have; `None` without topics, and when it can have others.
    pub topic: Option<Word>,
}

/// Storage and events of a program, by offset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// One for each place of each instruction.
    pub storage: Vec<StorageAccess>,
    /// One for each first topic of each instruction.
    pub events: Vec<Event>,
}

/// Finds what the reached instructions of a program touch.
///
/// ```
/// // PUSH1 7, DUP1, SSTORE, STOP
/// let touched = cairn_bytecode::find_touched(&cairn_bytecode::analyze(&[0x60, 7, 0x80, 0x55, 0]));
/// assert_eq!(touched.storage[0].slot, Some(cairn_evm::Word::from(7)));
/// ```
pub fn find_touched(analysis: &Analysis<'_>) -> Touched {
    let mut touched = Touched::default();
    let mut searcher = Searcher::new(analysis);
    let with = |traits: Traits| {
        let has = move |block: &BlockId| analysis.blocks.get(*block).traits.intersects(traits);
        (0..analysis.blocks.len() as BlockId).filter(has).filter(|block| analysis.is_reached(*block))
    };
    with(Traits::HASHES).for_each(|block| searcher.settle_places(block));
    for block in with(Traits::STORAGE | Traits::EVENTS) {
        for index in searcher.summaries.touches(block) {
            let touch = searcher.summaries.touch(index);
            let origins = searcher.places(block, touch.operand);
            match (access_of(touch.opcode), log_topics(touch.opcode)) {
                (Some(access), _) => {
                    let fields = match access {
                        Access::Load => searcher.fields_of_load(block, touch.pc),
                        Access::Store => searcher.fields_of_store(block, touch.value),
                        Access::TransientLoad | Access::TransientStore => Fields::word(),
                    };
                    touched.add_access(&searcher, (touch.pc, access), &origins, &fields);
                }
                (None, Some(topics)) => touched.add_event(&searcher, touch.pc, topics, &origins),
                (None, None) => {}
            }
        }
    }
    touched
}

impl Touched {
    fn add_access(
        &mut self,
        searcher: &Searcher<'_>,
        (pc, access): (u32, Access),
        origins: &Origins,
        fields: &Fields,
    ) {
        let is_update = fields.is_update;
        let spot = |symbol| Spot::of(symbol, &searcher.summaries.symbols);
        let mut spots: SmallVec<[Spot; 2]> =
            origins.symbols.iter().filter_map(|symbol| spot(*symbol)).collect();
        let is_whole = origins.complete && spots.len() == origins.symbols.len() && !spots.is_empty();
        if !is_whole {
            let Field { offset, size, kind } = Field::WORD;
            let (slot, steps) = (None, SmallVec::new());
            self.storage.push(StorageAccess { pc, access, slot, steps, offset, size, kind, is_update });
        }
        spots.sort_unstable();
        spots.dedup();
        for Spot { slot, steps } in spots {
            for Field { offset, size, kind } in fields.list.iter().copied() {
                let (slot, steps) = (Some(slot), steps.clone());
                self.storage.push(StorageAccess { pc, access, slot, steps, offset, size, kind, is_update });
            }
        }
    }

    fn add_event(&mut self, searcher: &Searcher<'_>, pc: u32, topics: u8, origins: &Origins) {
        if topics == 0 {
            return self.events.push(Event { pc, topics, topic: None });
        }
        let word = |symbol| searcher.summaries.symbols.word(symbol);
        let mut words: SmallVec<[Word; 2]> =
            origins.symbols.iter().filter_map(|symbol| word(*symbol)).collect();
        if !origins.complete || words.len() < origins.symbols.len() || words.is_empty() {
            self.events.push(Event { pc, topics, topic: None });
        }
        words.sort_unstable();
        words.dedup();
        self.events.extend(words.into_iter().map(|topic| Event { pc, topics, topic: Some(topic) }));
    }
}

fn access_of(opcode: Opcode) -> Option<Access> {
    match opcode {
        Opcode::SLOAD => Some(Access::Load),
        Opcode::SSTORE => Some(Access::Store),
        Opcode::TLOAD => Some(Access::TransientLoad),
        Opcode::TSTORE => Some(Access::TransientStore),
        _ => None,
    }
}

fn log_topics(opcode: Opcode) -> Option<u8> {
    (Opcode::LOG0..=Opcode::LOG4).contains(&opcode).then(|| opcode.0 - Opcode::LOG0.0)
}
