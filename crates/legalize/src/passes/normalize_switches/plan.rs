//! Chooses between a chain of tests and a split, for each set of cases.
//!
//! A shape is priced `runs · gas + 200 · bytes`, the gas of all cases together: each of them is taken
//! `runs` times, as each opcode is. The price of a chain is that of the tests it has: cases with one
//! target share a test, consecutive words are one range. The two parts of a split are priced by their
//! number of cases alone, as if they had different targets. A split by range compares with a case in
//! the middle; a split by a bit masks it, which is shorter where the words are long, and balanced where
//! the words are spread, like hashes. Either costs the same gas.
//!
//! A table ([`cairn_ir::table`]) tells up to sixteen buckets apart at once, by neighbouring bits of the
//! word: those that make the buckets cheapest are taken.
//!
//! Cost: linear in cases and bits for each split.

use super::Case;
use crate::options::SwitchShape;
use cairn_evm::Cost;
use cairn_evm::gas::DEPOSIT_PER_BYTE;
use cairn_ir::table::{MAX_ENTRIES, STRIDE};

/// One test without the bytes of the word: `DUP`, `PUSH`, `EQ` or `LT` or `AND`, `PUSH` of the label, `JUMPI`.
const TEST: Cost = Cost::sum(&[Cost::DUP, Cost::PUSH_OPCODE, Cost::COMPARE, Cost::PUSH_PLACE, Cost::JUMPI]);
/// One more run of words in a test: `DUP`, `PUSH`, `EQ`, `OR`.
const RUN: Cost = Cost::sum(&[Cost::DUP, Cost::PUSH_OPCODE, Cost::COMPARE, Cost::COMPARE]);
/// One more chain: `JUMPDEST`. Behind its last test lies the code of that case, the way to the default
/// is the jump.
const LEAF: Cost = Cost::JUMPDEST;
/// A jump through a table without its entries: `DUP`, shift, mask, `PUSH` of the table, `SWAP`, `SHR`,
/// `PUSH`, `AND`, `JUMP`, and the `JUMPDEST` there.
const TABLE: Cost = Cost { gas: 39, bytes: 15 };
/// Bytes of an entry.
const ENTRY_BYTES: usize = STRIDE / 8;
/// Fewer cases are not split.
const MIN_SPLIT: usize = 4;

/// Bits that a split looks at, from the lowest: enough to balance what is spread.
const MAX_BITS: usize = 64;

/// How a set of cases is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One test after the other.
    Chain,
    /// The lower half of the words from the upper.
    Range,
    /// The words with this bit from those without.
    Bit(usize),
    /// Through a table, by bits from `low` on, so many that there are `n_entries` buckets.
    Table { low: usize, n_entries: usize },
}

/// Prices of one switch.
pub(super) struct Planner {
    gas_price: u128,
    byte_price: u128,
    /// Bytes of the longest word.
    width: u128,
    shape: SwitchShape,
    /// The least price of this many cases with different targets.
    prices: Vec<u128>,
}

impl Planner {
    /// For a switch with these cases in ascending order.
    pub(super) fn new(cases: &[Case], runs: u64, shape: SwitchShape) -> Self {
        let n_cases = cases.len();
        let width = cases.last().map_or(0, |case| case.word.byte_len()) as u128;
        let byte_price = u128::from(DEPOSIT_PER_BYTE);
        let mut planner = Planner { gas_price: runs.into(), byte_price, width, shape, prices: Vec::new() };
        for n in 0..=n_cases {
            let count = n as u128;
            let gas = u128::from(TEST.gas) * (count * (count + 1) / 2);
            let chain = planner.total(gas, u128::from(LEAF.bytes) + count * (u128::from(TEST.bytes) + width));
            let price = match n >= MIN_SPLIT {
                true => chain.min(planner.split(n, n / 2, width)),
                false => chain,
            };
            planner.prices.push(price);
        }
        planner
    }

    fn total(&self, gas: u128, bytes: u128) -> u128 {
        self.gas_price * gas + self.byte_price * bytes
    }

    /// A chain of tests, each for so many cases in so many runs.
    fn chain(&self, tests: impl Iterator<Item = (usize, usize)>) -> u128 {
        let (mut path, mut gas, mut bytes) = (0, 0, u128::from(LEAF.bytes));
        for (n_cases, n_runs) in tests {
            let more = n_runs.saturating_sub(1) as u128;
            path += u128::from(TEST.gas) + u128::from(RUN.gas) * more;
            gas += path * n_cases as u128;
            bytes += u128::from(TEST.bytes) + self.width + more * (u128::from(RUN.bytes) + self.width);
        }
        self.total(gas, bytes)
    }

    /// A split of `n` cases that leaves `left` on one side, with a constant of so many bytes.
    fn split(&self, n: usize, left: usize, constant: u128) -> u128 {
        let test = self.total(u128::from(TEST.gas) * n as u128, u128::from(TEST.bytes) + constant);
        test + self.prices[left] + self.prices[n - left]
    }

    /// The cheapest shape for cases in ascending order, whose chain would have these tests.
    pub(super) fn choose(&self, cases: &[Case], tests: impl Iterator<Item = (usize, usize)>) -> Shape {
        let mut best = (self.chain(tests), Shape::Chain);
        if cases.len() < MIN_SPLIT {
            return Shape::Chain;
        }
        let middle = cases.len() / 2;
        let by_range = self.split(cases.len(), middle, cases[middle].word.byte_len() as u128);
        let by_bit = counts(cases).into_iter().enumerate().filter(|(_, n)| (1..cases.len()).contains(n));
        let splits = by_bit.map(|(bit, n)| {
            let constant = (bit / 8 + 1) as u128;
            (self.split(cases.len(), n, constant), Shape::Bit(bit))
        });
        let by_table = self.by_tables(cases);
        for (price, shape) in std::iter::once((by_range, Shape::Range)).chain(splits).chain(by_table) {
            if price < best.0 {
                best = (price, shape);
            }
        }
        best.1
    }
}

impl Planner {
    /// The tables that cases can be told apart by, with their prices.
    fn by_tables(&self, cases: &[Case]) -> Vec<(u128, Shape)> {
        let n_bits = cases.last().map_or(0, |case| case.word.bit_len()).min(MAX_BITS);
        if self.shape != SwitchShape::Cost {
            return Vec::new();
        }
        let shape = |n_entries: usize| {
            (0..n_bits.saturating_sub(n_entries.ilog2() as usize - 1))
                .map(move |low| (self.table(cases, low, n_entries), Shape::Table { low, n_entries }))
        };
        [4, 8, MAX_ENTRIES].into_iter().flat_map(shape).collect()
    }

    fn table(&self, cases: &[Case], low: usize, n_entries: usize) -> u128 {
        let mut n_cases = [0; MAX_ENTRIES];
        cases.iter().for_each(|case| n_cases[bucket(case, low, n_entries)] += 1);
        let jump = u128::from(TABLE.gas) * cases.len() as u128;
        let bytes = u128::from(TABLE.bytes) + (n_entries * ENTRY_BYTES) as u128;
        let buckets = n_cases.iter().filter(|n| **n > 0).map(|n| self.prices[*n]);
        self.total(jump, bytes) + buckets.sum::<u128>()
    }
}

/// The entry of a table that a case goes to: its bits lie among the lowest [`MAX_BITS`].
pub(super) fn bucket(case: &Case, low: usize, n_entries: usize) -> usize {
    (case.word.as_limbs()[0] >> low) as usize & (n_entries - 1)
}

/// How many of the cases have each bit.
fn counts(cases: &[Case]) -> Vec<usize> {
    let n_bits = cases.last().map_or(0, |case| case.word.bit_len()).min(MAX_BITS);
    let of_bit = |bit: usize| cases.iter().filter(|case| case.word.bit(bit)).count();
    (0..n_bits).map(of_bit).collect()
}
