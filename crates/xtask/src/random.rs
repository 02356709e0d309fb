//! Random numbers that are the same each time (xorshift64*; Vigna, 2016).

/// A generator.
pub(crate) struct Random(u64);

impl Random {
    /// One for each seed.
    pub(crate) fn new(seed: u64) -> Self {
        // Small seeds give small states, and those numbers that are alike.
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`; 0 for a bound of 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound.max(1)
    }
}
