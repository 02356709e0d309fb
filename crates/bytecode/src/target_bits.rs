//! Where jumps may go, as bits by offset: each `JUMPDEST` that is no data of a push.
//!
//! Contract: an offset behind the code is none. Cost: an eighth of a byte for each byte of code, so that
//! what asks for every word of every stack finds it in the nearest cache.

use crate::optable::OpTable;
use cairn_evm::Opcode;

/// A bit for each byte of code.
#[derive(Clone, Debug, Default)]
pub(crate) struct TargetBits {
    words: Vec<u64>,
}

impl TargetBits {
    /// No place in so many bytes of code.
    pub(crate) fn new(length: usize) -> TargetBits {
        TargetBits { words: vec![0; length / 64 + 1] }
    }

    /// All of them, by a sweep.
    pub(crate) fn sweep(code: &[u8], table: &OpTable) -> TargetBits {
        let mut bits = TargetBits::new(code.len());
        let mut at = 0;
        while let Some(byte) = code.get(at) {
            if Opcode(*byte) == Opcode::JUMPDEST {
                bits.insert(at);
            }
            at += 1 + usize::from(table[usize::from(*byte)].immediate);
        }
        bits
    }

    pub(crate) fn insert(&mut self, pc: usize) {
        self.words[pc / 64] |= 1 << (pc % 64);
    }

    /// True for a `JUMPDEST` that is no data of a push.
    #[inline]
    pub(crate) fn contains(&self, pc: usize) -> bool {
        self.words.get(pc / 64).is_some_and(|word| word >> (pc % 64) & 1 == 1)
    }
}
