//! Call data: what passes most checks, and what differs from it in a word or in its size.
//!
//! A head of two offsets, a length and two words, and a tail of small numbers, so that most offsets come to a small
//! length.

use super::marks::End;
use crate::random::Random;
use crate::world;
use cairn_exec::{Message, U256, account};

/// Calls of each program.
const CALLS: usize = 36;
/// Calls of which these are chosen.
const CANDIDATES: usize = 120;
const HEAD: usize = 5;
const TAIL: usize = 9;
/// What is added to offsets.
const NEAR: [usize; 7] = [0, 0x1f, 0x20, 0x21, 0x24, 0x40, 0x44];

/// Calls, two of which have next to no data.
pub(super) fn candidates(random: &mut Random, base: usize) -> Vec<Message> {
    let mut calls = vec![Message::new(Vec::new()), Message::new(vec![0xab; 4])];
    calls.extend((2..CANDIDATES).map(|_| call(random, base)));
    calls
}

/// Keeps calls that end in as many ways as possible, and of each way about as many.
pub(super) fn choose(calls: &mut Vec<Message>, ends: &[End]) {
    let turn = |index: usize| match ends.get(index) {
        // Behind all checks most is seen.
        Some(End::Passed) => ends[..index].iter().filter(|end| **end == End::Passed).count() / 4,
        Some(end) => ends[..index].iter().filter(|other| *other == end).count(),
        None => index,
    };
    let mut order: Vec<usize> = (0..calls.len()).collect();
    order.sort_by_key(|index| turn(*index));
    order.truncate(CALLS);
    *calls = order.iter().map(|index| calls[*index].clone()).collect();
}

/// One call; `base` bytes stand in front of its words.
fn call(random: &mut Random, base: usize) -> Message {
    let sender = account(random.below(3) as u64);
    let who = U256::from_be_slice(sender.as_slice());
    let mut words: Vec<U256> = (0..HEAD + TAIL).map(|index| usual(random, index, who)).collect();
    if random.once_in(2) {
        words[4] = same_but_for_a_bit(random, words[3]);
    }
    let mut size = base + 32 * words.len();
    let n_changes = *random.pick(&[0, 0, 1, 1, 1, 2]);
    for _ in 0..n_changes {
        match random.below(8) {
            0 | 1 => size = other_size(random, base, &words),
            2 => {
                let index = random.between(HEAD, HEAD + TAIL - 1);
                words[index] = border(random, &words, size, base);
            }
            _ => {
                let index = random.below(HEAD);
                words[index] = border(random, &words, size, base);
            }
        }
    }
    let mut data = vec![0x5a; base];
    data.extend(words.iter().flat_map(U256::to_be_bytes::<32>));
    data.resize(size, 0);
    let message = Message::new(data).from(sender);
    if random.once_in(10) { message.statically() } else { message }
}

/// What usually stands there.
fn usual(random: &mut Random, index: usize, who: U256) -> U256 {
    match index {
        0 | 1 if random.once_in(8) => U256::from(random.between(0, 32 * (HEAD + 3))),
        0 | 1 => U256::from(32 * random.between(HEAD, HEAD + 3)),
        3 | 4 => match random.below(8) {
            0..5 => who,
            5 => U256::from(random.between(1, 5)),
            6 => same_but_for_a_bit(random, who),
            _ => world::edge(random),
        },
        _ if index < HEAD || random.below(8) > 0 => U256::from(random.below(5)),
        _ if random.once_in(2) => who,
        _ => world::edge(random),
    }
}

/// A word that masks may make the same.
fn same_but_for_a_bit(random: &mut Random, word: U256) -> U256 {
    let bit = *random.pick(&[0_usize, 7, 8, 63, 64, 128, 159, 160, 160, 161, 200, 255]);
    if random.once_in(3) { word } else { word ^ (U256::from(1) << bit) }
}

/// The size at which something that begins at an offset ends, or nearly; or a part of the words.
fn other_size(random: &mut Random, base: usize, words: &[U256]) -> usize {
    let exact = if random.once_in(4) {
        base + 32 * random.below(words.len())
    } else {
        let offset = words[random.below(2)].saturating_to::<usize>().min(32 * words.len());
        let length = words[(offset / 32).min(words.len() - 1)].saturating_to::<usize>().min(8);
        base + offset + *random.pick(&NEAR) + length * *random.pick(&[0, 1, 32, 32])
    };
    match random.below(4) {
        0 => exact.saturating_sub(1),
        1 => exact + 1,
        _ => exact,
    }
}

/// A word at which a check decides otherwise, a sum wraps or a comparison changes its sign.
fn border(random: &mut Random, words: &[U256], size: usize, base: usize) -> U256 {
    let one = U256::from(1);
    let near = U256::from(random.below(0x46));
    let few = U256::from(random.below(4));
    let power = one << *random.pick(&[58_usize, 59, 63, 64, 64, 64, 128, 250, 251, 255, 255]);
    let left = U256::from(size).wrapping_sub(near);
    let bytes = U256::from(32 * random.below(5));
    let word = *random.pick(words);
    match random.below(16) {
        0 | 1 => power.wrapping_sub(few),
        2 => power.wrapping_add(near),
        3 => U256::MAX - near,
        4 => left,
        5 => left >> 5_usize,
        6 => U256::ZERO.wrapping_sub(U256::from(base + 32 * random.below(4))).wrapping_add(few),
        7 => word.wrapping_add(*random.pick(&[one, U256::MAX, U256::from(32)])),
        8 => left.wrapping_sub(word),
        9 => power.wrapping_sub(word).wrapping_sub(near),
        10 => left.wrapping_sub(bytes),
        11 => U256::ZERO.wrapping_sub(bytes).wrapping_sub(near),
        12 => (one << 251_usize).wrapping_sub(word >> 5_usize).wrapping_sub(few),
        13 => U256::from(*random.pick(&[0x3ff_u64, 0x400, 0x401, 0xffff_fffe, 0xffff_ffff, 1 << 32])),
        _ => world::edge(random),
    }
}
