//! Sets of program counters, a bit for each byte of code: where jumps may go, and where blocks begin.
//!
//! Contract: an offset behind the code is none. Cost: an eighth of a byte for each byte of code, so that
//! what asks for every word of every stack finds it in the nearest cache.

use crate::optable::OpTable;
use cairn_evm::Opcode;

/// Places of a code.
#[derive(Clone, Debug, Default)]
pub(crate) struct PcSet {
    words: Vec<u64>,
}

impl PcSet {
    /// No place in so many bytes of code.
    pub(crate) fn new(length: usize) -> PcSet {
        PcSet { words: vec![0; length / 64 + 1] }
    }

    /// Each `JUMPDEST` that is no data of a push, by a sweep.
    pub(crate) fn jumpdests(code: &[u8], table: &OpTable) -> PcSet {
        let mut bits = PcSet::new(code.len());
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

    /// True of a place that was added.
    #[inline]
    pub(crate) fn contains(&self, pc: usize) -> bool {
        self.words.get(pc / 64).is_some_and(|word| word >> (pc % 64) & 1 == 1)
    }
}

/// Places of code with their numbers, which go by offset.
#[derive(Clone, Debug, Default)]
pub(crate) struct NumberedPcs {
    bits: PcSet,
    /// How many places lie before each word of the bits.
    before: Vec<u32>,
}

impl NumberedPcs {
    /// No place in so many bytes of code.
    pub(crate) fn new(length: usize) -> NumberedPcs {
        NumberedPcs { bits: PcSet::new(length), before: Vec::new() }
    }

    /// Adds a place; numbers are known after [`NumberedPcs::number_all`].
    pub(crate) fn insert(&mut self, pc: usize) {
        self.bits.insert(pc);
    }

    pub(crate) fn number_all(&mut self) {
        let running = self.bits.words.iter().scan(0, |next, word| {
            let before = *next;
            *next += word.count_ones();
            Some(before)
        });
        self.before = running.collect();
    }

    /// The number of a place; `None` where there is none.
    #[inline]
    pub(crate) fn number(&self, pc: usize) -> Option<u32> {
        self.bits.contains(pc).then(|| self.number_below(pc))
    }

    /// The number of the last place up to an offset; `None` before the first, and behind the code.
    pub(crate) fn number_from(&self, pc: usize) -> Option<u32> {
        let word = self.bits.words.get(pc / 64)?;
        let below = word & (u64::MAX >> (63 - pc % 64));
        (self.before[pc / 64] + below.count_ones()).checked_sub(1)
    }

    /// How many places lie before an offset of the code.
    #[inline]
    pub(crate) fn number_below(&self, pc: usize) -> u32 {
        let below = self.bits.words[pc / 64] & ((1 << (pc % 64)) - 1);
        self.before[pc / 64] + below.count_ones()
    }
}

/// The numbers of the bits that are set in words of 64, in order.
#[inline]
pub(crate) fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(place, word)| {
        let rest = |left: &u64| Some(left & (left - 1)).filter(|left| *left != 0);
        let lefts = std::iter::successors(Some(*word).filter(|word| *word != 0), rest);
        lefts.map(move |left| 64 * place + left.trailing_zeros() as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_numbers_in_their_order() {
        let places = [0, 1, 63, 64, 65, 127, 128, 200, 449];
        let mut bits = NumberedPcs::new(450);
        places.iter().for_each(|pc| bits.insert(*pc));
        bits.number_all();
        for pc in 0..600 {
            let number = places.iter().position(|place| *place == pc).map(|number| number as u32);
            assert_eq!(bits.number(pc), number, "{pc}");
        }
        for pc in 0..450 {
            let number = places.iter().filter(|place| **place <= pc).count() as u32 - 1;
            assert_eq!(bits.number_from(pc), Some(number), "{pc}");
        }
    }
}
