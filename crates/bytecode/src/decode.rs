//! Instructions of a byte string, one after the other.
//!
//! Contract: a linear sweep from offset 0. Immediate data of pushes is skipped; a push cut short
//! by the end of the code is extended with zeros, as the EVM does. Nothing is copied: an
//! [`Instruction`] borrows its data from the code.

use cairn_evm::{Opcode, Word};

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction<'a> {
    /// Offset of the opcode.
    pub pc: u32,
    /// The opcode.
    pub opcode: Opcode,
    /// Immediate bytes that are there; fewer than the opcode's width only at the end of the code.
    pub data: &'a [u8],
}

impl Instruction<'_> {
    /// The word that a push pushes; `None` for other opcodes.
    pub fn pushed_word(&self) -> Option<Word> {
        let width = usize::from(self.opcode.push_width()?);
        let mut bytes = [0u8; 32];
        bytes[32 - width..32 - width + self.data.len()].copy_from_slice(self.data);
        Some(Word::from_be_bytes(bytes))
    }

    /// Offset of the next instruction.
    pub fn next_pc(&self) -> u32 {
        self.pc + 1 + u32::from(self.opcode.push_width().unwrap_or(0))
    }
}

/// The instructions of `code` from `start` on, up to `end`.
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    code: &'a [u8],
    pc: usize,
    end: usize,
}

/// The instructions of `code` in `start..end`; `start` must be the offset of an instruction.
pub fn instructions(code: &[u8], start: u32, end: u32) -> Instructions<'_> {
    Instructions { code, pc: start as usize, end: (end as usize).min(code.len()) }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Instruction<'a>;

    fn next(&mut self) -> Option<Instruction<'a>> {
        if self.pc >= self.end {
            return None;
        }
        let opcode = Opcode(self.code[self.pc]);
        let width = usize::from(opcode.push_width().unwrap_or(0));
        let data_end = (self.pc + 1 + width).min(self.code.len());
        let data = &self.code[self.pc + 1..data_end];
        let inst = Instruction { pc: self.pc as u32, opcode, data };
        self.pc += 1 + width;
        Some(inst)
    }
}

/// The word of so many bytes; `None` for one of 2^32 and more, and where there are fewer.
pub(crate) fn short_word(data: &[u8], width: u8) -> Option<u32> {
    match (width, data) {
        // Most pushes by far.
        (1, [byte, ..]) => Some(u32::from(*byte)),
        (2, [high, low, ..]) => Some(u32::from(*high) << 8 | u32::from(*low)),
        _ => {
            let data = data.get(..usize::from(width))?;
            let (high, low) = data.split_at(data.len().saturating_sub(4));
            let word = low.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
            high.iter().all(|byte| *byte == 0).then_some(word)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_cut_short_is_extended_with_zeros() {
        let code = [0x5b, 0x62, 0xab];
        let list: Vec<_> = instructions(&code, 0, 3).collect();
        assert_eq!(list.len(), 2);
        assert_eq!(list[1].pushed_word(), Some(Word::from(0xab0000)));
        assert_eq!(list[1].next_pc(), 5);
        assert_eq!(list[0].pushed_word(), None);
    }

    #[test]
    fn push0_pushes_zero() {
        let inst = instructions(&[0x5f], 0, 1).next().expect("there is one");
        assert_eq!(inst.pushed_word(), Some(Word::ZERO));
    }

    #[test]
    fn words_are_short_whatever_their_width() {
        assert_eq!(short_word(&[7, 9], 1), Some(7));
        assert_eq!(short_word(&[1, 2], 2), Some(0x102));
        assert_eq!(short_word(&[0, 0, 1, 2, 3, 4], 6), Some(0x0102_0304));
        assert_eq!(short_word(&[1, 0, 0, 0, 0], 5), None, "it is 2^32");
        assert_eq!(short_word(&[1], 2), None, "it is cut short");
    }
}
