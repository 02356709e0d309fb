//! Words of the stack, as far as they tell about calldata.
//!
//! Calldata is a tree of *frames*: the arguments are the frame 0, which begins behind the selector;
//! a word of a frame that is used as an offset begins another. A *slot* is a word of a frame.

use super::types::Type;

/// Where arguments begin in calldata.
pub(super) const FIRST: i64 = 4;

pub(super) type FrameId = u16;
pub(super) type SlotId = u16;

/// A word. It fits a register: the walk copies hardly anything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Value {
    #[default]
    Unknown,
    /// A small constant.
    Small(u32),
    /// Index of a constant.
    Big(u32),
    /// A constant of more than four bytes, pushed at this offset.
    Pushed(u32),
    /// `CALLDATASIZE` and so much.
    Size(i32),
    /// Bytes of calldata from a place of a frame on, and in how many words of the frame what was subtracted first is.
    Rest(FrameId, u8, i32),
    /// The offset in calldata of a place of a frame other than the first, whose places are constants.
    Place(FrameId, i32),
    /// So many bytes behind what the free pointer was, each time that it was read a number of its own.
    Free(u16, i32),
    /// The word of a slot.
    Load(SlotId),
    /// The same if it is valid: what a type does not have is cleared.
    Clean(SlotId, Class),
    /// Zero exactly if the word is not.
    Not(SlotId),
    /// The word shifted to the left by so many bits.
    Left(SlotId, u8),
    /// The word shifted to the right by so many bits.
    High(SlotId, u8),
    /// A multiple.
    Times(u32),
    /// Zero or one by a comparison, or more of them.
    Truth,
    /// Whether the word is below a small number; the other way round if the second is false.
    Below(SlotId, bool),
    /// Index of two words with all bits that either has: perhaps checks, of which one branch is made.
    Joined(u32),
}

/// What a word is cleaned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// So many low bits.
    Uint(u16),
    /// So many low bits with a sign.
    Int(u16),
    /// Zero or one.
    Bool,
    /// So many high bytes.
    Bytes(u8),
}

impl Class {
    /// True for what an offset into calldata may be cleaned to.
    pub(super) fn may_be_offset(self) -> bool {
        matches!(self, Class::Uint(bits) if bits != 160)
    }

    pub(super) fn to_type(self) -> Type {
        match self {
            Class::Uint(1) | Class::Bool => Type::Bool,
            Class::Uint(160) => Type::Address,
            Class::Uint(bits) => Type::Uint(bits),
            Class::Int(bits) => Type::Int(bits),
            Class::Bytes(bytes) => Type::FixedBytes(bytes),
        }
    }
}

const _: () = assert!(size_of::<Value>() == 8, "a word of the walk is copied as one");
