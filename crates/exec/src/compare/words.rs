//! Words that are worth trying: edges, addresses, constants of the code, and what was seen.

use super::helpers::{COMPANION, IDENTITY, REFUSER};
use super::random::Random;
use super::step::Step;
use crate::environment::account;
use crate::outcome::{Observation, Outcome};
use alloy_primitives::{Address, U256};
use cairn_bytecode::instructions;
use cairn_evm::Opcode;
use std::collections::{BTreeSet, VecDeque};

/// Accounts that send transactions.
pub(crate) const SENDERS: usize = 4;
const MAX_CONSTANTS: usize = 1024;
const MAX_SEEN: usize = 128;
/// Steps whose words are at hand.
const RECALLED_STEPS: usize = 3;
/// Words of an output or log that are remembered.
const MAX_OUTPUT_WORDS: usize = 8;
const SIZES: [u64; 12] = [31, 32, 33, 63, 64, 65, 95, 96, 127, 128, 255, 256];

/// A dictionary.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    addresses: Vec<U256>,
    /// Constants of both codes.
    constants: Vec<U256>,
    /// Constants of one code only: where a difference may come from.
    suspects: Vec<U256>,
    seen: VecDeque<U256>,
    /// Senders and calldata of the last steps of the sequence that is gone on with.
    recent: Vec<U256>,
}

fn word_of(address: Address) -> U256 {
    U256::from_be_bytes(address.into_word().0)
}

/// Constants that code pushes, without the targets of its jumps.
pub(crate) fn constants(code: &[u8]) -> BTreeSet<U256> {
    let end = code.len() as u32;
    let is_target = |word: U256| {
        usize::try_from(word).is_ok_and(|at| at > 64 && code.get(at) == Some(&Opcode::JUMPDEST.0))
    };
    let pushed = instructions(code, 0, end).filter_map(|inst| inst.pushed_word());
    let words = pushed.map(|word| U256::from_be_bytes(word.to_be_bytes::<32>()));
    words.filter(|word| !is_target(*word)).take(MAX_CONSTANTS).collect()
}

impl Words {
    /// The dictionary for a contract with these codes.
    pub(crate) fn new(codes: [&[u8]; 2], contract: Address) -> Self {
        let [left, right] = codes.map(constants);
        let senders = (0..SENDERS as u64).map(account);
        let addresses = senders.chain([contract, COMPANION, REFUSER, IDENTITY, Address::ZERO]);
        Words {
            addresses: addresses.map(word_of).collect(),
            constants: left.union(&right).copied().collect(),
            suspects: left.symmetric_difference(&right).copied().collect(),
            seen: VecDeque::new(),
            recent: Vec::new(),
        }
    }

    /// Remembers who and what the last steps were about: calls belong together.
    pub(crate) fn recall(&mut self, steps: &[Step]) {
        self.recent.clear();
        for step in steps.iter().rev().take(RECALLED_STEPS) {
            self.recent.push(word_of(step.message.sender));
            let arguments = step.message.data.get(4..).unwrap_or(&[]);
            self.recent.extend(words_in(arguments).filter(|word| *word > U256::from(4)));
        }
    }

    /// Somebody who sends transactions, now and then one that was just spoken of.
    pub(crate) fn sender(&self, random: &mut Random) -> Address {
        let sender = account(somebody(random) as u64);
        if random.percent(60) {
            return sender;
        }
        let recent = pick(&self.recent, random);
        let mut senders = (0..SENDERS as u64).map(account);
        senders.find(|sender| word_of(*sender) == recent).unwrap_or(sender)
    }

    /// Remembers what a transaction said and left behind.
    pub(crate) fn learn(&mut self, outcome: &Outcome, observation: &Observation) {
        let logged = outcome.logs.iter().flat_map(|log| {
            let topics = log.topics.iter().map(|topic| U256::from_be_bytes(topic.0));
            topics.chain(words_in(&log.data)).collect::<Vec<_>>()
        });
        let stored = observation.storage.values().flat_map(|words| words.values().copied());
        let all = words_in(&outcome.output).chain(logged).chain(stored.take(MAX_OUTPUT_WORDS));
        for word in all.collect::<Vec<_>>() {
            self.see(word);
        }
    }

    fn see(&mut self, word: U256) {
        if word <= U256::from(4) || self.seen.contains(&word) {
            return;
        }
        if self.seen.len() == MAX_SEEN {
            self.seen.pop_front();
        }
        self.seen.push_back(word);
    }

    /// Some word.
    pub(crate) fn any(&self, random: &mut Random) -> U256 {
        match random.below(31) {
            20..=27 if !self.recent.is_empty() => pick(&self.recent, random),
            0..=4 => U256::from(random.below(5)),
            5..=6 => edge(random),
            7..=9 | 28.. => self.address(random),
            10..=12 => near(pick(&self.constants, random), random),
            13..=14 => near(pick(&self.suspects, random), random),
            15..=17 => {
                let place = random.below(self.seen.len());
                near(self.seen.get(place).copied().unwrap_or_default(), random)
            }
            18 => U256::from(SIZES[random.below(SIZES.len())]),
            _ => noise(random),
        }
    }

    /// An address of somebody.
    pub(crate) fn address(&self, random: &mut Random) -> U256 {
        if random.percent(60) {
            return self.addresses.get(somebody(random)).copied().unwrap_or_default();
        }
        pick(&self.addresses, random)
    }

    /// Wei that a sender has.
    pub(crate) fn value(&self, random: &mut Random) -> U256 {
        let value = match random.below(4) {
            0 => U256::from(random.below(4)),
            1 => U256::from(1 + random.below(1000)),
            2 => near(pick(&self.constants, random), random),
            _ => self.any(random),
        };
        value >> value.bit_len().saturating_sub(80)
    }

    /// Seconds between two transactions.
    pub(crate) fn seconds(&self, random: &mut Random) -> u64 {
        const DAY: u64 = 86_400;
        let usual = [1, 60, 3_600, DAY, 7 * DAY, 30 * DAY, 365 * DAY];
        let constant = near(pick(&self.constants, random), random);
        match u64::try_from(constant).ok().filter(|seconds| *seconds >> 32 == 0) {
            Some(seconds) if random.percent(50) => seconds,
            _ => usual[random.below(usual.len())],
        }
    }
}

/// Index of a sender: the first ones more often, so that calls meet.
fn somebody(random: &mut Random) -> usize {
    random.below(SENDERS).min(random.below(SENDERS))
}

fn words_in(data: &[u8]) -> impl Iterator<Item = U256> + '_ {
    data.chunks_exact(32).take(MAX_OUTPUT_WORDS).map(U256::from_be_slice)
}

fn pick(list: &[U256], random: &mut Random) -> U256 {
    random.pick(list).copied().unwrap_or_default()
}

/// The word itself, or one beside it.
pub(crate) fn near(word: U256, random: &mut Random) -> U256 {
    match random.below(4) {
        0 => word.wrapping_add(U256::from(1)),
        1 => word.wrapping_sub(U256::from(1)),
        _ => word,
    }
}

fn edge(random: &mut Random) -> U256 {
    let bits = [255, 256, 160, 128, 127, 64, 32, 8][random.below(8)];
    let power = if bits == 256 { U256::ZERO } else { U256::from(1) << bits };
    match random.below(3) {
        0 => power,
        _ => power.wrapping_sub(U256::from(1)),
    }
}

fn noise(random: &mut Random) -> U256 {
    let limbs = std::array::from_fn(|_| random.next());
    U256::from_limbs(limbs) >> random.below(256)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_one_code_are_suspects() {
        // PUSH1 7, PUSH2 1000 against PUSH1 7, PUSH2 1001
        let codes = [&[0x60, 7, 0x61, 3, 0xe8][..], &[0x60, 7, 0x61, 3, 0xe9][..]];
        let words = Words::new(codes, Address::ZERO);
        assert_eq!(words.suspects, [U256::from(1000), U256::from(1001)]);
        assert_eq!(words.constants.len(), 3);
    }

    #[test]
    fn a_value_is_within_means() {
        let words = Words::new([&[], &[]], Address::ZERO);
        let mut random = Random::new(1);
        assert!((0..1000).all(|_| words.value(&mut random) < U256::from(1) << 80));
    }
}
