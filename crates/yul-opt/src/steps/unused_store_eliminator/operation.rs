//! Accesses to storage and memory, and when they overlap.

use cairn_evm::{MemoryLength, MemoryRegion, Opcode, Word, memory};
use cairn_yul::YulName;

use crate::tools::knowledge_base::Place;

/// What is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Location {
    Storage,
    Memory,
}

/// An argument that says where an access is, or how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Argument {
    pub(super) place: Place,
    /// The variable that stands there; `None` for a literal.
    pub(super) variable: Option<YulName>,
}

impl Argument {
    fn constant(value: Word) -> Argument {
        Argument { place: Place::constant(value), variable: None }
    }

    fn is_same_variable(self, other: Argument) -> bool {
        self.variable.is_some() && self.variable == other.variable
    }
}

/// An access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub(super) location: Location,
    /// Key, or first byte; `None` when it is not known.
    pub(super) start: Option<Argument>,
    /// Number of bytes, in memory; `None` when it is not known.
    pub(super) length: Option<Argument>,
}

/// Addresses that are further apart than this are only reached by programs that run out of gas.
const MAX_MEMORY: Word = Word::from_limbs([0, 0, 1, 0]);

impl Operation {
    /// Everything in storage or memory.
    pub(super) fn everything(location: Location) -> Operation {
        Operation { location, start: None, length: None }
    }

    pub(super) fn of_region(region: MemoryRegion, args: &[Option<Argument>]) -> Operation {
        let length = match region.length {
            MemoryLength::Fixed(bytes) => Some(Argument::constant(Word::from(bytes))),
            MemoryLength::Operand(index) => args.get(usize::from(index)).copied().flatten(),
        };
        let start = args.get(usize::from(region.start)).copied().flatten();
        Operation { location: Location::Memory, start, length }
    }

    fn constant_length(&self) -> Option<Word> {
        self.length.and_then(|length| length.place.as_constant())
    }

    /// The two never access the same slot or byte.
    pub(super) fn is_unrelated(&self, other: &Operation) -> bool {
        if self.location != other.location {
            return true;
        }
        let (Some(start), Some(other_start)) = (self.start, other.start) else {
            return self.is_empty() || other.is_empty();
        };
        let (start, other_start) = (start.place, other_start.place);
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
        // Two variables may be known to be equal: solc sees it where both are constant, in memory.
        let is_same_start = start.is_same_variable(other_start);
        if self.location == Location::Storage {
            return is_same_start;
        }
        if let (Some(length), Some(other_length)) = (self.length, other.length)
            && is_same_start
            && length.is_same_variable(other_length)
        {
            return true;
        }
        let is_known = |argument: Argument| argument.variable.is_some() && argument.place.base.is_none();
        // A region that begins behind this one does not come back to it over the end of memory.
        let begins_before = other_start.place.distance <= start.place.distance;
        let is_comparable = is_same_start || is_known(start) && is_known(other_start) && begins_before;
        if !is_comparable {
            return false;
        }
        let Some(distance) = start.place.minus(other_start.place) else {
            return false;
        };
        match (self.constant_length(), other.constant_length()) {
            (Some(length), Some(other_length)) => {
                distance <= other_length && length <= other_length - distance
            }
            _ => false,
        }
    }
}

/// What a statement `opcode(args)` that only stores writes.
pub(super) fn written(opcode: Opcode, args: &[Option<Argument>]) -> Option<Operation> {
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
