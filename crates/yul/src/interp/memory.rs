//! Memory of any size, of which few words are used.

use std::collections::BTreeMap;

use cairn_evm::Word;

/// The largest end of a range that is copied or hashed.
const NEAR: u64 = 0xffff;

/// Bytes by address, and the size. Addresses wrap around.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Words by address divided by 32.
    words: BTreeMap<Word, [u8; 32]>,
    size: Word,
}

impl Memory {
    /// What `msize` returns.
    pub fn size(&self) -> Word {
        self.size
    }

    /// The words that are not zero, by address.
    pub fn words(&self) -> impl Iterator<Item = (Word, &[u8; 32])> {
        let used = self.words.iter().filter(|(_, word)| **word != [0; 32]);
        used.map(|(index, word)| (*index << 5, word))
    }

    /// Grows to hold a range. Says whether the range is near enough to be copied.
    pub(super) fn touch(&mut self, offset: Word, length: Word) -> bool {
        if length.is_zero() {
            return true;
        }
        let end = offset.checked_add(length).and_then(|end| end.checked_add(Word::from(31)));
        let Some(end) = end else {
            return false;
        };
        self.size = self.size.max(end >> 5 << 5);
        offset + length <= Word::from(NEAR)
    }

    pub(super) fn read_byte(&self, address: Word) -> u8 {
        self.words.get(&(address >> 5)).map_or(0, |word| word[address.byte(0) as usize % 32])
    }

    pub(super) fn write_byte(&mut self, address: Word, value: u8) {
        self.words.entry(address >> 5).or_insert([0; 32])[address.byte(0) as usize % 32] = value;
    }

    pub(super) fn read(&self, offset: Word, length: usize) -> Vec<u8> {
        (0..length).map(|at| self.read_byte(offset.wrapping_add(Word::from(at)))).collect()
    }

    pub(super) fn write(&mut self, offset: Word, bytes: &[u8]) {
        for (at, byte) in bytes.iter().enumerate() {
            self.write_byte(offset.wrapping_add(Word::from(at)), *byte);
        }
    }
}
