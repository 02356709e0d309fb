//! Storage that is read and written, and events: the constants among their operands.
//!
//! Contract: each reached instruction is there, with every constant that its operand is found to be
//! (see [`crate::constants`]), or without one. Slots that are computed, as those of mappings and
//! arrays, have none.

use crate::analysis::Analysis;
use crate::blocks::BlockId;
use crate::constants::{Constants, Searcher, Symbol};
use cairn_evm::{Opcode, Word};

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

/// An instruction that reads or writes storage, with one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StorageAccess {
    /// Offset of the instruction.
    pub pc: u32,
    /// What it does.
    pub access: Access,
    /// A slot that it can touch; `None` when it can touch slots that are no constants.
    pub slot: Option<Word>,
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
    /// One for each slot of each instruction.
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
    let mut operands = Vec::new();
    for block in (0..analysis.blocks.len() as BlockId).filter(|block| analysis.is_reached(*block)) {
        let data = analysis.blocks.get(block);
        if !analysis.instructions(data).any(|inst| operand_of(inst.opcode).is_some()) {
            continue;
        }
        searcher.run(block, |pc, opcode, stack| {
            let operand = operand_of(opcode).map(|depth| stack.len().checked_sub(1 + depth));
            let symbol = operand.map(|place| place.map_or(Symbol::Unknown, |place| stack[place]));
            operands.extend(symbol.map(|symbol| (pc, opcode, symbol)));
        });
        for (pc, opcode, symbol) in operands.drain(..) {
            touched.add(pc, opcode, searcher.constants(block, symbol));
        }
    }
    touched
}

impl Touched {
    fn add(&mut self, pc: u32, opcode: Opcode, constants: Constants) {
        let other = (!constants.complete || constants.words.is_empty()).then_some(None);
        let words = other.into_iter().chain(constants.words.into_iter().map(Some));
        match (access_of(opcode), log_topics(opcode)) {
            (Some(access), _) => self.storage.extend(words.map(|slot| StorageAccess { pc, access, slot })),
            (None, Some(0)) => self.events.push(Event { pc, topics: 0, topic: None }),
            (None, Some(topics)) => self.events.extend(words.map(|topic| Event { pc, topics, topic })),
            (None, None) => {}
        }
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

/// Words above the operand that counts: the slot, or the first topic.
fn operand_of(opcode: Opcode) -> Option<usize> {
    if access_of(opcode).is_some() { Some(0) } else { log_topics(opcode).map(|_| 2) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::analyze;

    fn slots(digits: &str) -> Vec<(u32, Option<u64>)> {
        let code = cairn_evm::hex::decode(digits).expect("digits");
        let touched = find_touched(&analyze(&code));
        touched.storage.iter().map(|found| (found.pc, found.slot.map(|slot| slot.to()))).collect()
    }

    #[test]
    fn a_slot_comes_from_both_ways() {
        // PUSH1 7, CALLVALUE, PUSH1 9, JUMPI, POP, PUSH1 9; JUMPDEST, SLOAD, STOP
        assert_eq!(slots("6007346009575060095b5400"), [(10, Some(7)), (10, Some(9))]);
    }

    #[test]
    fn a_computed_slot_has_no_constant() {
        assert_eq!(slots("34545f5ff3"), [(1, None)]);
        // PUSH1 2 PUSH1 3 ADD SLOAD
        assert_eq!(slots("6002600301545f5ff3"), [(5, Some(5))]);
    }

    #[test]
    fn a_word_below_a_call_is_found() {
        // PUSH1 6, PUSH1 back, PUSH1 5, PUSH1 f, JUMP; back: POP, SLOAD, STOP; f: PUSH1 1, ADD, SWAP1, JUMP
        assert_eq!(slots("600660096005600d565b5054005b600101905600"), [(11, Some(6))]);
    }

    #[test]
    fn the_first_topic_of_an_event_is_found() {
        // PUSH1 9 (topic), PUSH0, PUSH0, LOG1; LOG0
        let code = cairn_evm::hex::decode("60095f5fa15f5fa000").expect("digits");
        let events = find_touched(&analyze(&code)).events;
        let expected =
            [Event { pc: 4, topics: 1, topic: Some(Word::from(9)) }, Event { pc: 7, topics: 0, topic: None }];
        assert_eq!(events, expected);
    }
}
