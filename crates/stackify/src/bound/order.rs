//! What the order of words costs at least between the borders of a block.

use super::{CHEAP, COPY};
use crate::code::StackWord;
use rustc_hash::FxHashMap;

/// What [`order_bound`] has to know of a word.
#[derive(Clone, Copy, Default)]
pub(super) struct Traits {
    /// How often operations of the block take it.
    pub(super) uses: u64,
    /// It may be made again for less than a `SWAP` costs.
    pub(super) is_cheap: bool,
}

/// Copies of a word on the borders.
#[derive(Clone, Copy, Default)]
struct Copies {
    /// Those on entry below the lowest height.
    low: u64,
    /// Those on entry from there on.
    high: u64,
    /// Those on exit.
    after: u64,
    /// Those on exit in places, below the highest one under the lowest height, where the entry has another word.
    put: u64,
    uses: u64,
    /// Gas of making one again, at least.
    make: u64,
}

impl Copies {
    /// What it costs that copies above the lowest height, which the exit wants and nobody pays for, go.
    fn gas(&self) -> u64 {
        let wanted = self.high.saturating_sub(self.uses).min(self.after.saturating_sub(self.low));
        wanted.saturating_sub(self.put) * self.make
    }
}

/// The least gas that puts words into their places on the exit, beside that of copies and `POP`s which the numbers of
/// words alone ask for.
///
/// Let *h* be the lowest height of the stack in the block. Of the places below it, only the highest is ever on top;
/// a `SWAP` changes the top and one place below, so each of the others whose word is another on the exit than on the
/// entry needs one of its own. All words from *h* upwards are gone once. Each copy that the exit still wants and that
/// no copy was paid for is made again, or was put below *h* by a `SWAP`: one of those counted if it stays there, and
/// another one if not. The bound is the least over all *h*.
///
/// Cost: linear in the words on the borders.
pub(super) fn order_bound(
    entry: &[StackWord],
    exit: &[StackWord],
    traits: impl Fn(StackWord) -> Traits,
) -> u64 {
    let mut words = Words::new(entry, exit, traits);
    let (mut exchanges, mut least) = (0, words.again);
    for (before, after) in entry.iter().zip(exit) {
        words.change(*before, |copies| (copies.low, copies.high) = (copies.low + 1, copies.high - 1));
        least = least.min(words.again + exchanges);
        // With the next height, this place is not the highest one below it any more.
        if before != after {
            words.change(*after, |copies| copies.put += 1);
            exchanges += COPY;
        }
    }
    least
}

/// The words of the entry.
struct Words {
    copies: FxHashMap<StackWord, Copies>,
    /// The sum of their [`Copies::gas`].
    again: u64,
}

impl Words {
    /// With a lowest height of 0.
    fn new(entry: &[StackWord], exit: &[StackWord], traits: impl Fn(StackWord) -> Traits) -> Words {
        let mut copies: FxHashMap<StackWord, Copies> = FxHashMap::default();
        for word in entry {
            let of_word = copies.entry(*word).or_insert_with(|| {
                let Traits { uses, is_cheap } = traits(*word);
                Copies { uses, make: if is_cheap { CHEAP } else { COPY }, ..Copies::default() }
            });
            of_word.high += 1;
        }
        for word in exit {
            copies.entry(*word).and_modify(|copies| copies.after += 1);
        }
        let again = copies.values().map(Copies::gas).sum();
        Words { copies, again }
    }

    fn change(&mut self, word: StackWord, change: impl FnOnce(&mut Copies)) {
        if let Some(copies) = self.copies.get_mut(&word) {
            self.again -= copies.gas();
            change(copies);
            self.again += copies.gas();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_evm::Word;
    use std::collections::{BTreeMap, BTreeSet};

    /// Words by number; [`ZERO`] can be made for the gas of a `POP`, the others for that of a copy.
    type Stack = Vec<u64>;

    const ZERO: u64 = 0;
    const N_WORDS: u64 = 3;

    fn word(number: u64) -> StackWord {
        StackWord::Const(Word::from(number))
    }

    fn price(number: u64) -> u64 {
        if number == ZERO { CHEAP } else { COPY }
    }

    fn count(words: &[u64], number: u64) -> u64 {
        words.iter().filter(|other| **other == number).count() as u64
    }

    fn order(entry: &[u64], uses: &[u64], exit: &[u64]) -> u64 {
        let as_words = |stack: &[u64]| stack.iter().map(|number| word(*number)).collect::<Vec<_>>();
        order_bound(&as_words(entry), &as_words(exit), |known| {
            let number = (0..N_WORDS).find(|number| word(*number) == known).unwrap();
            Traits { uses: count(uses, number), is_cheap: number == ZERO }
        })
    }

    /// What the numbers of words alone ask for.
    fn copies(entry: &[u64], uses: &[u64], exit: &[u64]) -> u64 {
        let of_word = |number| {
            let (have, need) = (count(entry, number), count(uses, number) + count(exit, number));
            need.saturating_sub(have) * price(number) + CHEAP * have.saturating_sub(need)
        };
        (0..N_WORDS).map(of_word).sum()
    }

    /// The stacks one operation further, and its gas: uses are taken from the top in any order.
    fn steps(stack: &Stack, uses: &[u64]) -> Vec<(u64, Stack, Vec<u64>)> {
        let mut found = Vec::new();
        let top = stack.len().wrapping_sub(1);
        for (at, number) in stack.iter().enumerate() {
            found.push((COPY, [stack.as_slice(), &[*number]].concat(), uses.to_vec()));
            let mut exchanged = stack.clone();
            exchanged.swap(at, top);
            found.push((COPY, exchanged, uses.to_vec()));
        }
        for number in 0..N_WORDS {
            found.push((price(number), [stack.as_slice(), &[number]].concat(), uses.to_vec()));
        }
        if let Some((last, rest)) = stack.split_last() {
            found.push((CHEAP, rest.to_vec(), uses.to_vec()));
            if let Some(at) = uses.iter().position(|number| number == last) {
                let mut left = uses.to_vec();
                left.remove(at);
                found.push((0, rest.to_vec(), left));
            }
        }
        found
    }

    /// The least gas from one stack with these uses to go to any other without, by Dijkstra's algorithm.
    fn optima(entry: &Stack, uses: &[u64], most: usize) -> BTreeMap<Stack, u64> {
        let mut found = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let mut open = BTreeSet::from([(0, entry.clone(), uses.to_vec())]);
        while let Some((gas, stack, uses)) = open.pop_first() {
            if !seen.insert((stack.clone(), uses.clone())) {
                continue;
            }
            let next = steps(&stack, &uses);
            if uses.is_empty() {
                found.entry(stack).or_insert(gas);
            }
            open.extend(
                next.into_iter()
                    .filter(|(_, stack, _)| stack.len() <= most)
                    .map(|(more, stack, uses)| (gas + more, stack, uses)),
            );
        }
        found
    }

    fn stacks(most: usize) -> Vec<Stack> {
        let mut found = vec![Stack::new()];
        let mut from = 0;
        for _ in 0..most {
            let until = found.len();
            for at in from..until {
                for number in 0..N_WORDS {
                    found.push([found[at].as_slice(), &[number]].concat());
                }
            }
            from = until;
        }
        found
    }

    #[test]
    fn no_code_is_cheaper_than_the_bound() {
        let (mut n_exact, mut n_exact_without) = (0, 0);
        for entry in stacks(4) {
            for uses in [&[][..], &[1], &[1, 2], &[1, 1]] {
                for (exit, optimum) in optima(&entry, uses, 5).iter().filter(|(exit, _)| exit.len() <= 4) {
                    let (copies, order) = (copies(&entry, uses, exit), order(&entry, uses, exit));
                    assert!(
                        copies + order <= *optimum,
                        "{entry:?} {uses:?} {exit:?}: {copies} + {order}, {optimum}"
                    );
                    n_exact += u32::from(copies + order == *optimum);
                    n_exact_without += u32::from(copies == *optimum);
                }
            }
        }
        // With orders, it is what the best code costs nearly twice as often.
        assert!(2 * n_exact > 3 * n_exact_without, "{n_exact} and {n_exact_without} without orders");
    }

    #[test]
    fn words_in_the_wrong_places_cost_exchanges() {
        assert_eq!(order(&[1, 2], &[], &[1, 2]), 0);
        assert_eq!(order(&[1, 2], &[], &[2, 1]), COPY);
        assert_eq!(order(&[1, 2, 0], &[], &[2, 1, 0]), COPY + CHEAP);
        // A word that goes from under another: one exchange, or a copy.
        assert_eq!(order(&[1, 2], &[1], &[2]), COPY);
        assert_eq!(order(&[2, 1], &[1], &[2]), 0);
    }
}
