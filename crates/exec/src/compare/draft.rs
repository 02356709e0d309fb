//! A call in the making: selector, arguments in the shapes of the ABI, and what surrounds them.

use super::random::Random;
use super::words::{Words, near};
use alloy_primitives::{Address, U256};

/// Longest array of a draft, in elements.
const MAX_ELEMENTS: usize = 6;
/// Longest byte string that is made by chance, and any at all.
const MAX_BYTES: usize = 70;
const MAX_CALLDATA: u64 = 2048;

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    /// A value, in the head.
    Word(U256),
    /// Bytes or a string: offset in the head, length and bytes in the tail.
    Bytes(Vec<u8>),
    /// An array of values: offset in the head, length and elements in the tail.
    Array(Vec<U256>),
}

/// How the calldata end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// As encoded.
    Whole,
    /// This many bytes too early.
    Cut(usize),
    /// With bytes that nobody asked for.
    Longer(usize),
}

/// How the call gets there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// From an account.
    Direct,
    /// From an account, into a static frame.
    Static,
    /// Through the companion, with a second call.
    Companion(Vec<u8>),
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) selector: Option<u32>,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) end: End,
    pub(crate) value: U256,
    pub(crate) sender: Address,
    pub(crate) seconds: u64,
    pub(crate) way: Way,
}

impl Draft {
    /// The calldata.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut data = self.selector.map(|selector| selector.to_be_bytes().to_vec()).unwrap_or_default();
        let mut tail: Vec<u8> = Vec::new();
        for argument in &self.arguments {
            let word = match argument {
                Argument::Word(word) => *word,
                Argument::Bytes(_) | Argument::Array(_) => U256::from(self.arguments.len() * 32 + tail.len()),
            };
            data.extend(word.to_be_bytes::<32>());
            match argument {
                Argument::Word(_) => {}
                Argument::Bytes(bytes) => {
                    tail.extend(U256::from(bytes.len()).to_be_bytes::<32>());
                    tail.extend(bytes);
                    tail.resize(tail.len().next_multiple_of(32), 0);
                }
                Argument::Array(words) => {
                    tail.extend(U256::from(words.len()).to_be_bytes::<32>());
                    tail.extend(words.iter().flat_map(|word| word.to_be_bytes::<32>()));
                }
            }
        }
        data.extend(tail);
        match self.end {
            End::Whole => {}
            End::Cut(bytes) => data.truncate(data.len().saturating_sub(bytes)),
            End::Longer(bytes) => data.extend((0..bytes).map(|index| index as u8 | 0x80)),
        }
        data
    }

    /// Changes something.
    pub(crate) fn mutate(&mut self, words: &Words, random: &mut Random) {
        match random.below(12) {
            0..=6 => self.mutate_argument(words, random),
            7 => self.value = if random.percent(50) { U256::ZERO } else { words.value(random) },
            8 => self.sender = words.sender(random),
            9 => self.seconds = words.seconds(random),
            10 => self.end = some_end(random),
            _ => {
                let place = random.below(self.arguments.len() + 1);
                self.arguments.insert(place, some_argument(words, random));
            }
        }
    }

    fn mutate_argument(&mut self, words: &Words, random: &mut Random) {
        let place = random.below(self.arguments.len());
        let Some(argument) = self.arguments.get_mut(place) else { return };
        match argument {
            Argument::Word(word) => *word = mutated(*word, words, random),
            Argument::Bytes(bytes) => mutate_bytes(bytes, random),
            Argument::Array(elements) => mutate_array(elements, words, random),
        }
    }

    /// Makes `from`, where it comes from here, to `to`: how comparisons are met.
    pub(crate) fn replace(&mut self, from: U256, to: U256, now: u64) {
        if self.selector.map(U256::from) == Some(from) {
            if let Ok(selector) = u32::try_from(to) {
                self.selector = Some(selector);
            }
            return;
        }
        if self.value == from && !from.is_zero() && to.bit_len() <= 80 {
            self.value = to;
            return;
        }
        if U256::from_be_bytes(self.sender.into_word().0) == from && to.bit_len() <= 160 {
            self.sender = Address::from_word(to.into());
            return;
        }
        if let (Ok(from), Ok(to)) = (u64::try_from(from), u64::try_from(to)) {
            let is_time = from >= now && from <= now + 60 && now > 0;
            if is_time && to > from && to - from <= 1 << 33 {
                self.seconds = self.seconds.saturating_add(to - from);
                return;
            }
        }
        for argument in &mut self.arguments {
            if replace_in(argument, from, to) {
                return;
            }
        }
    }
}

fn replace_in(argument: &mut Argument, from: U256, to: U256) -> bool {
    match argument {
        Argument::Word(word) => replace_word(word, from, to),
        Argument::Bytes(bytes) if U256::from(bytes.len()) == from && to <= U256::from(MAX_CALLDATA) => {
            bytes.resize(to.to::<usize>(), 0x61);
            true
        }
        Argument::Array(words) if U256::from(words.len()) == from && to <= U256::from(MAX_ELEMENTS * 4) => {
            words.resize(to.to::<usize>(), U256::from(1));
            true
        }
        Argument::Array(words) => words.iter_mut().any(|word| replace_word(word, from, to)),
        Argument::Bytes(_) => false,
    }
}

/// Also where only the low bits of the word were compared.
fn replace_word(word: &mut U256, from: U256, to: U256) -> bool {
    let low = U256::MAX.checked_shr(256 - from.bit_len().next_multiple_of(8)).unwrap_or_default();
    if *word != from && (from <= U256::from(0xff) || *word & low != from) {
        return false;
    }
    *word = to;
    true
}

fn mutated(word: U256, words: &Words, random: &mut Random) -> U256 {
    match random.below(8) {
        0 => word.wrapping_add(U256::from(1)),
        1 => word.wrapping_sub(U256::from(1)),
        2 => word ^ (U256::from(1) << random.below(256)),
        3 => word << 1,
        4 => word >> 1,
        _ => words.any(random),
    }
}

fn mutate_bytes(bytes: &mut Vec<u8>, random: &mut Random) {
    let place = random.below(bytes.len());
    match random.below(3) {
        0 => *bytes = some_bytes(random),
        1 => bytes.truncate(place),
        _ => {
            if let Some(byte) = bytes.get_mut(place) {
                *byte = random.next() as u8;
            }
        }
    }
}

fn mutate_array(elements: &mut Vec<U256>, words: &Words, random: &mut Random) {
    let place = random.below(elements.len());
    match random.below(4) {
        0 => elements.truncate(place),
        1 if elements.len() < MAX_ELEMENTS => elements.push(words.any(random)),
        _ => {
            if let Some(word) = elements.get_mut(place) {
                *word = mutated(*word, words, random);
            }
        }
    }
}

/// An argument of some shape, mostly a word.
pub(crate) fn some_argument(words: &Words, random: &mut Random) -> Argument {
    match random.below(10) {
        0 => Argument::Bytes(some_bytes(random)),
        1 => Argument::Array((0..random.below(MAX_ELEMENTS)).map(|_| words.any(random)).collect()),
        _ => Argument::Word(words.any(random)),
    }
}

fn some_bytes(random: &mut Random) -> Vec<u8> {
    let length = match random.below(4) {
        0 => random.below(4),
        1 => 31 + random.below(3),
        _ => random.below(MAX_BYTES),
    };
    (0..length).map(|_| b'a' + random.below(26) as u8).collect()
}

fn some_end(random: &mut Random) -> End {
    match random.below(4) {
        0 => End::Cut(1),
        1 => End::Cut(1 + random.below(36)),
        2 => End::Longer(1 + random.below(40)),
        _ => End::Whole,
    }
}

/// `from` and what it was compared with, or a neighbour of that.
pub(crate) fn goal(pair: (U256, U256), random: &mut Random) -> (U256, U256) {
    let (from, to) = if random.percent(50) { pair } else { (pair.1, pair.0) };
    (from, near(to, random))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::account;

    fn draft(arguments: Vec<Argument>) -> Draft {
        let (value, sender) = (U256::ZERO, Address::ZERO);
        Draft { selector: Some(1), arguments, end: End::Whole, value, sender, seconds: 0, way: Way::Direct }
    }

    #[test]
    fn arguments_are_encoded_as_the_abi_says() {
        let word = |n: u64| U256::from(n).to_be_bytes::<32>().to_vec();
        let arguments = vec![
            Argument::Bytes(b"ab".to_vec()),
            Argument::Word(U256::from(7)),
            Argument::Array(vec![U256::from(8), U256::from(9)]),
        ];
        let mut bytes = vec![0; 32];
        bytes[..2].copy_from_slice(b"ab");
        let expected =
            [vec![0, 0, 0, 1], word(96), word(7), word(160), word(2), bytes, word(2), word(8), word(9)];
        assert_eq!(draft(arguments).encode(), expected.concat());
    }

    #[test]
    fn the_end_is_cut_or_longer() {
        let mut draft = draft(vec![Argument::Word(U256::ZERO)]);
        draft.end = End::Cut(33);
        assert_eq!(draft.encode(), [0, 0, 0]);
        draft.end = End::Longer(2);
        assert_eq!(draft.encode().len(), 38);
    }

    #[test]
    fn what_was_compared_is_replaced_where_it_comes_from() {
        let word = |n: u64| U256::from(n);
        let sender = Address::repeat_byte(3);
        let mut draft = draft(vec![Argument::Word(word(500)), Argument::Bytes(vec![0; 5])]);
        draft.value = word(70);
        draft.replace(word(500), word(1234), 0);
        assert_eq!(draft.arguments[0], Argument::Word(word(1234)));
        draft.replace(word(5), word(33), 0);
        assert_eq!(draft.arguments[1], Argument::Bytes([vec![0; 5], vec![0x61; 28]].concat()));
        draft.replace(word(70), word(80), 0);
        assert_eq!(draft.value, word(80));
        draft.sender = account(1);
        let address = |sender: Address| U256::from_be_bytes(sender.into_word().0);
        draft.replace(address(account(1)), address(sender), 0);
        assert_eq!(draft.sender, sender);
        draft.replace(word(115), word(1115), 100);
        assert_eq!(draft.seconds, 1000);
        draft.replace(word(1), word(2), 0);
        assert_eq!(draft.selector, Some(2));
    }
}
