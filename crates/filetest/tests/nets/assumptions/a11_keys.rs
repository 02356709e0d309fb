//! A11: hashes are far from each other and from small numbers.
//!
//! Keys of storage are hashes of one word or two, of words that may be equal, plus constants up to
//! 2^64 and beyond, plus words that are only known at run time, constants that are hashes of known
//! words, and differences of hashes. Words that are added to a hash may be bounded by a branch, to 2^64 or
//! a little more, or be what makes the sum a key that another expression gives. Not taken for granted: that a key that looks otherwise is
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

/// What is added to the hash of zero, and the key that this gives or is near: small numbers, and what
/// leads to a small key or another hash, which a word of call data that is not there hides.
const ADDED: [(&str, &str); 7] = [
    ("#v", "one(0)"),
    ("and(#v, 3)", "add(one(0), 2)"),
    ("0x10000000000000000", "add(one(0), 0x10000000000000000)"),
    ("xor(sub(1, one(0)), calldataload(0x1000))", "1"),
    ("xor(sub(0, one(0)), calldataload(0x1000))", "0"),
    ("xor(sub(one(7), one(0)), calldataload(0x1000))", "one(7)"),
    ("xor(sub(two(0, 0), one(0)), calldataload(0x1000))", "two(0, 0)"),
];

/// Tests that bound it, hold for more than that, or say the contrary.
const TESTS: [&str; 6] = [
    "lt(added, 0x10000000000000000)",
    "iszero(gt(added, 0xffffffffffffffff))",
    "iszero(shr(64, added))",
    "lt(added, 0x10000000000000002)",
    "gt(added, 0xffffffffffffffff)",
    "iszero(iszero(shr(64, added)))",
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
    match skeleton.random.below(8) {
        6 | 7 => {
            let (added, reached) = ADDED[skeleton.random.below(ADDED.len())];
            let (added, test) = (added.replace("#v", &skeleton.value()), skeleton.one_of(&TESTS));
            let key = if skeleton.random.once_in(4) { key } else { reached.to_owned() };
            format!(
                "sstore({key}, {value}) {{ let added := {added} if {test} {{ sstore(add(one(0), added), not({value})) \
                 {variable} := add({variable}, sload({key})) }} }}"
            )
        }
        0 | 1 => format!("sstore({key}, {value})"),
        2 => format!("tstore({key}, {value})"),
        3 => format!("{variable} := add({variable}, tload({key}))"),
        _ => format!("{variable} := add({variable}, sload({key}))"),
    }
}
