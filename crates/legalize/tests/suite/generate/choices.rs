//! Where random decisions come from.

use cairn_evm::Word;

/// A source of decisions: bytes while there are any, then a generator seeded by them.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    bytes: Vec<u8>,
    next: usize,
    state: u64,
}

impl Choices {
    /// Decisions from a seed.
    pub(crate) fn from_seed(seed: u64) -> Self {
        Choices { bytes: Vec::new(), next: 0, state: seed }
    }

    /// Decisions from a fuzzer's bytes; zeros when they end, which is the simplest choice.
    #[allow(dead_code, reason = "for fuzz targets")]
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        Choices { bytes: bytes.to_vec(), next: 0, state: 0 }
    }

    /// SplitMix64.
    fn word(&mut self) -> u64 {
        if !self.bytes.is_empty() {
            let byte = self.bytes.get(self.next).copied().unwrap_or(0);
            self.next += 1;
            return u64::from(byte);
        }
        cairn_testkit::next_random(&mut self.state)
    }

    /// A number below `limit`; 0 if `limit` is 0.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.word().checked_rem(limit).unwrap_or(0)
    }

    /// One of the items.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }

    /// A word of at most `bits` bits: often small, a power of two or all ones.
    pub(crate) fn number(&mut self, bits: u16) -> Word {
        let bits = usize::from(bits.min(256));
        let mask = (Word::from(1) << bits).wrapping_sub(Word::from(1));
        let full = (0..4).fold(Word::ZERO, |word, _| (word << 64) | Word::from(self.word()));
        let word = match self.below(7) {
            0 | 1 => Word::from(self.below(5)),
            2 => mask,
            3 => mask - Word::from(self.below(4)),
            4 => Word::from(1) << self.below(bits as u64 + 1) as usize,
            5 => full >> self.below(256) as usize,
            _ => full,
        };
        word & mask
    }
}
