//! Long words: what takes many bytes to push.

use crate::random::Random;
use cairn_exec::U256;

/// Names of immutables.
pub(super) const IMMUTABLES: [&str; 3] = ["one", "other", "third"];

/// The library that every program links.
pub(super) const LIBRARY: &str = "lib.sol:L";

/// Masks that compilers use, and their like.
const MASKS: [&str; 8] = [
    "0xffffffffffffffffffffffffffffffffffffffff",
    "0xffffffffffffffffffffffff0000000000000000000000000000000000000000",
    "0xffffffff00000000000000000000000000000000000000000000000000000000",
    "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "0x8000000000000000000000000000000000000000000000000000000000000000",
    "0xffffffffffffffffffffffffffffffff",
    "0x00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff",
    "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00",
];

/// The long words of a program: a few, some of them made of others. Immutables are there for code that has them.
pub(super) fn long_words(random: &mut Random, has_immutables: bool) -> Vec<String> {
    let mut numbers = vec![number(random, 32)];
    let mut words = vec![hex(numbers[0])];
    for _ in 0..random.between(1, 4) {
        let of = *random.pick(&numbers);
        let n_bytes = random.between(20, 31);
        let next = match random.below(9) {
            0 => !of,
            1 => of.wrapping_add(U256::from(random.between(1, 300))),
            2 => of.wrapping_neg(),
            // A selector, as it stands in front of arguments.
            3 => number(random, 4) << 224,
            4 => number(random, 32),
            5 | 6 => number(random, n_bytes),
            7 => {
                let n_bytes = random.between(5, 9);
                number(random, n_bytes)
            }
            _ => {
                words.push((*random.pick(&MASKS)).to_owned());
                continue;
            }
        };
        numbers.push(next);
        words.push(hex(next));
    }
    if has_immutables {
        let n = random.between(1, IMMUTABLES.len());
        words.extend(IMMUTABLES[..n].iter().map(|name| format!("loadimmutable(\"{name}\")")));
    }
    if random.once_in(2) {
        words.push(format!("linkersymbol(\"{LIBRARY}\")"));
    }
    words
}

/// A number of so many bytes.
fn number(random: &mut Random, n_bytes: usize) -> U256 {
    let word = (0..4).fold(U256::ZERO, |word, _| (word << 64) | U256::from(random.next()));
    word >> (256 - 8 * n_bytes)
}

fn hex(number: U256) -> String {
    format!("0x{number:064x}")
}
