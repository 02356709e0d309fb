//! Code that writes the value of an immutable over its placeholders in a copy of the code that reads it.
//!
//! It finds where the copy begins (top) and the value on the stack, and takes both. A placeholder of 32 bytes
//! is stored over. A narrower one shares its word with code, which stays as it is: the word is loaded, the
//! place is cleared, the low bytes of the value are put there, and the word goes back. The word is the one
//! that ends with the placeholder, so that only bytes of the copy are touched; where it would begin before the
//! copy, the one that begins with the placeholder.
//!
//! ```text
//! PUSH 40 ADD  SWAP1 PUSH 96 SHL PUSH 96 SHR  DUP2 MLOAD PUSH 160 SHR PUSH 160 SHL  OR SWAP1 MSTORE
//! ```

use super::ImmutableReference;
use super::push::push_width;
use crate::program::WORD_WIDTH;
use cairn_evm::{Fork, Opcode, Word};

/// The code for these placeholders; without any, two `POP`s.
pub(super) fn store_everywhere(references: &[&ImmutableReference], fork: Fork) -> Vec<u8> {
    let mut writer = Writer { bytes: Vec::new(), fork };
    let Some((last, others)) = references.split_last() else {
        writer.ops(&[Opcode::POP, Opcode::POP]);
        return writer.bytes;
    };
    for reference in others {
        writer.ops(&[Opcode::DUP2, Opcode::DUP2]);
        writer.store(reference);
    }
    writer.store(last);
    writer.bytes
}

struct Writer {
    bytes: Vec<u8>,
    fork: Fork,
}

impl Writer {
    fn ops(&mut self, ops: &[Opcode]) {
        self.bytes.extend(ops.iter().map(|op| op.0));
    }

    fn push(&mut self, word: Word) {
        let width = push_width(word, self.fork);
        self.ops(&[Opcode::push(width)]);
        self.bytes.extend_from_slice(&word.to_be_bytes::<32>()[32 - usize::from(width)..]);
    }

    fn store(&mut self, reference: &ImmutableReference) {
        let ImmutableReference { offset, length, .. } = *reference;
        if length == WORD_WIDTH {
            self.push(Word::from(offset));
            return self.ops(&[Opcode::ADD, Opcode::MSTORE]);
        }
        let (place, rest) = (8 * usize::from(length), 256 - 8 * usize::from(length));
        let before = usize::from(WORD_WIDTH - length);
        self.push(Word::from(offset.checked_sub(before).unwrap_or(offset)));
        self.ops(&[Opcode::ADD, Opcode::SWAP1]);
        self.shift(Opcode::SHL, rest);
        if offset >= before {
            self.shift(Opcode::SHR, rest);
            self.ops(&[Opcode::DUP2, Opcode::MLOAD]);
            self.shift(Opcode::SHR, place);
            self.shift(Opcode::SHL, place);
        } else {
            self.ops(&[Opcode::DUP2, Opcode::MLOAD]);
            self.shift(Opcode::SHL, place);
            self.shift(Opcode::SHR, place);
        }
        self.ops(&[Opcode::OR, Opcode::SWAP1, Opcode::MSTORE]);
    }

    /// Shifts the top; by a product or quotient where the fork has no shifts.
    fn shift(&mut self, direction: Opcode, bits: usize) {
        if direction.exists_in(self.fork) {
            self.push(Word::from(bits));
            return self.ops(&[direction]);
        }
        self.push(Word::ONE << bits);
        match direction {
            Opcode::SHL => self.ops(&[Opcode::MUL]),
            _ => self.ops(&[Opcode::SWAP1, Opcode::DIV]),
        }
    }
}
