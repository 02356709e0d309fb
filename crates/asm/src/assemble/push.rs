//! How many bytes pushes take.

use cairn_evm::{Fork, Opcode, Word};

/// The immediate bytes that the shortest push of `word` has.
pub(super) fn push_width(word: Word, fork: Fork) -> u8 {
    (word.byte_len() as u8).max(least_push_width(fork))
}

/// The immediate bytes of a push of zero.
pub(super) fn least_push_width(fork: Fork) -> u8 {
    u8::from(!Opcode::PUSH0.exists_in(fork))
}
