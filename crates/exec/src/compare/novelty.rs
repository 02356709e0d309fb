//! What was not seen before: ways of branches, by how often they are taken, and shapes of storage.

use crate::outcome::Observation;
use crate::watch::{BRANCHES, Watch};
use alloy_primitives::{Address, U256};
use std::collections::BTreeSet;

/// What was seen.
#[derive(Clone, Debug)]
pub(crate) struct Novelty {
    /// For each side and branch the classes of counts, one bit each.
    branches: [Vec<u8>; 2],
    states: BTreeSet<(U256, u64)>,
}

impl Default for Novelty {
    fn default() -> Self {
        Novelty { branches: [vec![0; BRANCHES], vec![0; BRANCHES]], states: BTreeSet::new() }
    }
}

impl Novelty {
    /// Whether a branch was taken that was not, or more or less often.
    pub(crate) fn takes_new_way(&mut self, watches: [&Watch; 2]) -> bool {
        let mut is_new = false;
        for (seen, watch) in self.branches.iter_mut().zip(watches) {
            for (seen, count) in seen.iter_mut().zip(&watch.branches) {
                let class = class_of(*count);
                is_new |= class & !*seen != 0;
                *seen |= class;
            }
        }
        is_new
    }

    /// Whether a fixed slot has a value of a new size, or there are more words than ever.
    pub(crate) fn is_new_state(&mut self, observation: &Observation, address: Address) -> bool {
        let Some(words) = observation.storage.get(&address) else { return false };
        let mut is_new = self.states.insert((U256::MAX, words.len() as u64));
        for (key, value) in words.iter().filter(|(key, _)| key.bit_len() <= 16) {
            let small = u64::try_from(*value).ok().filter(|value| *value <= 16);
            let size = small.unwrap_or(17 + value.bit_len() as u64 / 4);
            is_new |= self.states.insert((*key, size));
        }
        is_new
    }
}

/// Counts of a class are not worth telling apart.
fn class_of(count: u8) -> u8 {
    match count {
        0 => 0,
        1 => 1,
        2 => 2,
        3 => 4,
        4..=7 => 8,
        8..=15 => 16,
        16..=31 => 32,
        32..=127 => 64,
        128.. => 128,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_new_once_and_when_it_is_taken_more_often() {
        let mut novelty = Novelty::default();
        let watch = |count| Watch { branches: vec![0, count], ..Watch::default() };
        let nothing = Watch::default();
        assert!(novelty.takes_new_way([&watch(1), &nothing]));
        assert!(!novelty.takes_new_way([&watch(1), &nothing]));
        assert!(novelty.takes_new_way([&nothing, &watch(1)]));
        assert!(novelty.takes_new_way([&watch(5), &nothing]));
        assert!(!novelty.takes_new_way([&watch(6), &nothing]));
    }
}
