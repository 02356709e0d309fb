//! What happens in an expression, and the bytes of memory that it reads.

use super::Say;
use cairn_evm::Opcode;

/// What happens, with the memory that it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::listing) enum Effect {
    Emit {
        topics: Vec<Say>,
        data: Data,
    },
    Revert(Data),
    Return(Data),
    /// A call, with its number.
    Message {
        number: u32,
        opcode: Opcode,
        gas: Say,
        to: Say,
        value: Option<Say>,
        data: Data,
    },
    Hash(Data),
}

/// Bytes of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::listing) enum Data {
    /// Values that were stored there, and copies, without gaps.
    Known(Vec<Piece>),
    /// From where, how many.
    Memory(Say, Say),
}

/// The first bytes of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::listing) struct Piece {
    pub(in crate::listing) bytes: u64,
    pub(in crate::listing) value: Say,
}

impl Piece {
    /// As many bytes as its value has.
    pub(in crate::listing) const OPEN: u64 = u64::MAX;
}

impl Effect {
    pub(super) fn parts(&self) -> Vec<&Say> {
        let (mut parts, data): (Vec<&Say>, _) = match self {
            Effect::Emit { topics, data } => (topics.iter().collect(), data),
            Effect::Revert(data) | Effect::Return(data) | Effect::Hash(data) => (Vec::new(), data),
            Effect::Message { gas, to, value, data, .. } => {
                ([gas, to].into_iter().chain(value).collect(), data)
            }
        };
        match data {
            Data::Known(pieces) => parts.extend(pieces.iter().map(|piece| &piece.value)),
            Data::Memory(a, b) => parts.extend([a, b]),
        }
        parts
    }

    pub(super) fn parts_mut(&mut self) -> Vec<&mut Say> {
        let (mut parts, data): (Vec<&mut Say>, _) = match self {
            Effect::Emit { topics, data } => (topics.iter_mut().collect(), data),
            Effect::Revert(data) | Effect::Return(data) | Effect::Hash(data) => (Vec::new(), data),
            Effect::Message { gas, to, value, data, .. } => {
                ([gas, to].into_iter().chain(value).collect(), data)
            }
        };
        match data {
            Data::Known(pieces) => parts.extend(pieces.iter_mut().map(|piece| &mut piece.value)),
            Data::Memory(a, b) => parts.extend([a, b]),
        }
        parts
    }

    /// True when nothing comes behind it.
    pub(in crate::listing) fn ends(&self) -> bool {
        matches!(self, Effect::Revert(_) | Effect::Return(_))
    }
}
