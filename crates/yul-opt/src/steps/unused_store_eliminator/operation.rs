//! Accesses to storage and memory, and when they overlap.

use cairn_evm::{MemoryLength, MemoryRegion, Opcode, Word, memory};

use crate::tools::knowledge_base::Place;

/// What is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Location {
    Storage,
    Memory,
}

/// An access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub(super) location: Location,
    /// Key, or first byte; `None` when it is not known.
    pub(super) start: Option<Place>,
    /// Number of bytes, in memory; `None` when it is not known.
    pub(super) length: Option<Place>,
}

/// Addresses that are further apart than this are only reached by programs that run out of gas.
const MAX_MEMORY: Word = Word::from_limbs([0, 0, 1, 0]);

impl Operation {
    /// Everything in storage or memory.
    pub(super) fn everything(location: Location) -> Operation {
        Operation { location, start: None, length: None }
    }

    pub(super) fn of_region(region: MemoryRegion, args: &[Option<Place>]) -> Operation {
        let length = match region.length {
            MemoryLength::Fixed(bytes) => Some(Place::constant(Word::from(bytes))),
            MemoryLength::Operand(index) => args.get(usize::from(index)).copied().flatten(),
        };
        let start = args.get(usize::from(region.start)).copied().flatten();
        Operation { location: Location::Memory, start, length }
    }

    fn constant_length(&self) -> Option<Word> {
        self.length.and_then(Place::as_constant)
    }

    /// The two never access the same slot or byte.
    pub(super) fn is_unrelated(&self, other: &Operation) -> bool {
        if self.location != other.location {
            return true;
        }
        let (Some(start), Some(other_start)) = (self.start, other.start) else {
            return self.is_empty() || other.is_empty();
        };
        if self.location == Location::Storage {
            return start.is_different(other_start);
        }
        if self.is_empty() || other.is_empty() {
            return true;
        }
        let Some(distance) = other_start.minus(start) else {
            return false;
        };
        let is_symbolic = start.base.is_some();
        if is_symbolic && !(self.is_at_most_a_word() && other.is_at_most_a_word()) {
            return false;
        }
        // A region at a known place that went over the end of memory would be out of gas.
        if !is_symbolic && other_start.base.is_none() {
            return match start.distance <= other_start.distance {
                true => self.constant_length().is_some_and(|length| length <= distance),
                false => other.constant_length().is_some_and(|length| length <= distance.wrapping_neg()),
            };
        }
        if distance < MAX_MEMORY {
            return self.constant_length().is_some_and(|length| length <= distance);
        }
        let distance = distance.wrapping_neg();
        distance < MAX_MEMORY && other.constant_length().is_some_and(|length| length <= distance)
    }

    fn is_at_most_a_word(&self) -> bool {
        self.constant_length().is_some_and(|length| length <= Word::from(32))
    }

    fn is_empty(&self) -> bool {
        self.location == Location::Memory && self.constant_length().is_some_and(|length| length.is_zero())
    }

    /// Everything that this operation writes is overwritten by `other`.
    pub(super) fn is_covered_by(&self, other: &Operation) -> bool {
        if self.location != other.location {
            return false;
        }
        if self.is_empty() {
            return true;
        }
        let (Some(start), Some(other_start)) = (self.start, other.start) else {
            return false;
        };
        let Some(distance) = start.minus(other_start) else {
            return false;
        };
        if self.location == Location::Storage {
            return distance.is_zero();
        }
        if distance.is_zero() && self.length.is_some() && self.length == other.length {
            return true;
        }
        // Solc compares parts of regions only where it knows their addresses.
        if !distance.is_zero() && start.base.is_some() {
            return false;
        }
        match (self.constant_length(), other.constant_length()) {
            (Some(length), Some(other_length)) => {
                distance <= other_length && length <= other_length - distance
            }
            _ => false,
        }
    }
}

/// What a statement `opcode(args)` that only stores writes.
pub(super) fn written(opcode: Opcode, args: &[Option<Place>]) -> Option<Operation> {
    match opcode {
        Opcode::SSTORE => Some(Operation { location: Location::Storage, start: args[0], length: None }),
        Opcode::MSTORE
        | Opcode::MSTORE8
        | Opcode::CALLDATACOPY
        | Opcode::CODECOPY
        | Opcode::EXTCODECOPY
        | Opcode::RETURNDATACOPY
        | Opcode::MCOPY => memory::memory_write(opcode).map(|region| Operation::of_region(region, args)),
        _ => None,
    }
}
