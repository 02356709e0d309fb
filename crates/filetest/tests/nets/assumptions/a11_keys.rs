//! A11: hashes are far from each other and from small numbers.
//!
//! Keys of storage are hashes of one word or two, of words that may be equal, plus constants up to
//! 2^64 and beyond, plus words that are only known at run time, constants that are hashes of known
//! words, and differences of hashes. Not taken for granted: that a key that looks otherwise is
//! another one.

use crate::harness::Case;
use crate::skeleton::{Picture, Skeleton, maybe_guard, return_word};

/// Keccak-256 of a word of zeros.
const HASH_OF_ZERO: &str = "0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563";

const KEYS: [&str; 18] = [
    "one(#v)",
    "one(0)",
    "two(#v, 0)",
    "two(0, 0)",
    "two(#v, #v)",
    "add(one(0), 1)",
    "add(one(0), 0xffffffffffffffff)",
    "add(one(0), 0x10000000000000000)",
    "add(one(#v), and(#v, 3))",
    "add(one(0), #v)",
    "sub(one(0), 1)",
    "add(one(#v), sub(one(0), one(#v)))",
    "one(one(#v))",
    "HASH",
    "add(HASH, 1)",
    "0xffffffffffffffff",
    "and(#v, 1)",
    "#v",
];

const FUNCTIONS: &str = "
function one(word) -> key { mstore(0, word) key := keccak256(0, 0x20) }
function two(word, base) -> key { mstore(0, word) mstore(0x20, base) key := keccak256(0, 0x40) }";

pub(crate) fn case(seed: u64) -> Case {
    super::runtime(seed, &Picture { start: maybe_guard, special, end: return_word, functions: FUNCTIONS })
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    let (key, value, variable) = (skeleton.one_of(&KEYS), skeleton.value(), skeleton.variable());
    let key = key.replace("HASH", HASH_OF_ZERO);
    match skeleton.random.below(6) {
        0 | 1 => format!("sstore({key}, {value})"),
        2 => format!("tstore({key}, {value})"),
        3 => format!("{variable} := add({variable}, tload({key}))"),
        _ => format!("{variable} := add({variable}, sload({key}))"),
    }
}
