//! Elements of arrays in memory: words that are stored before what stands at a computed place is written, and read
//! again behind it.
//!
//! Each statement allocates ten words, stores up to three of them, and writes at a place that is made of an index: a
//! word, a byte, or a copy of some bytes. Varies: what the index is (small, any word, or one with which the place comes
//! round to the buffer from below: 2^251 - 1 times 32), how a branch bounds it (to 2^64, to less, to so much that the
//! place comes round, not at all, with sign, from below), how the place is computed, where the branch stands, whether
//! all that is done in rounds, and what is read. A write is left out where it would not lie in the buffer.
//!
//! Not taken for granted: that an index that is compared is small, that an element lies behind the word of the length
//! or is as long as a word, that the branch that bounds an index leads to the write.

use crate::harness::Case;
use crate::skeleton::{Picture, Skeleton, return_word};

/// Bytes of a buffer.
const SIZE: &str = "0x140";
/// A word that begins below this lies in it.
const ENDS: &str = "0x121";

/// Words of call data that are not there hide what an index is.
const INDICES: [&str; 9] = [
    "#v",
    "and(#v, 7)",
    "and(#v, 0x1ff)",
    "xor(sub(shl(251, 1), 1), calldataload(0x1000))",
    "xor(shl(251, 1), calldataload(0x1000))",
    "xor(not(0), calldataload(0x1000))",
    "xor(not(30), calldataload(0x1000))",
    "xor(not(31), calldataload(0x1000))",
    "sub(0, and(#v, 0x3f))",
];

const TESTS: [&str; 11] = [
    "1",
    "lt(i, 8)",
    "iszero(gt(i, 0xffffffff))",
    "lt(i, 0x10000000000000000)",
    "iszero(shr(64, i))",
    "lt(i, shl(128, 1))",
    "lt(i, shl(129, 1))",
    "lt(i, shl(251, 1))",
    "slt(i, 8)",
    "gt(i, 2)",
    "iszero(iszero(shr(64, i)))",
];

const PLACES: [&str; 6] = [
    "add(add(q, CONSTANT), shl(5, i))",
    "add(add(q, CONSTANT), i)",
    "add(q, add(CONSTANT, shl(5, i)))",
    "add(q, add(mul(i, 0x20), CONSTANT))",
    "sub(add(q, CONSTANT), i)",
    "add(add(q, i), add(CONSTANT, and(i, 0x1f)))",
];

const CONSTANTS: [&str; 8] = ["0", "1", "0x1f", "0x20", "0x21", "0x40", "0x60", "0x80"];

const WRITES: [&str; 5] = [
    "mstore(at, #x)",
    "mstore(at, not(#x))",
    "mstore8(at, #x)",
    "calldatacopy(at, #x, and(#x, 0x1f))",
    "mcopy(at, q, 0x20)",
];

/// Words of the buffer that are stored and read: the first, and others that begin there or nearby.
const WORDS: [&str; 6] = ["q", "q", "add(q, 0x20)", "add(q, 0x40)", "add(q, 0x1f)", "add(q, 0x60)"];

pub(crate) fn case(seed: u64) -> Case {
    crate::assumptions::runtime(seed, &Picture { start, special, end: return_word, functions: "" })
}

fn start(_: &mut Skeleton<'_>) -> String {
    "mstore(0x40, memoryguard(0x80))".to_owned()
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    let (word, other) = (skeleton.one_of(&WORDS), skeleton.one_of(&WORDS));
    let (first, second) = (skeleton.value(), skeleton.value());
    let variable = skeleton.variable();
    let round = round(skeleton, &word, &variable);
    let body = match skeleton.random.below(3) {
        0 => format!("for {{ let j := 0 }} lt(j, 3) {{ j := add(j, 1) }} {{ {round} }}"),
        1 => format!(
            "for {{ let j := 0 }} lt(j, mload(q)) {{ j := add(j, 1) }} {{ {round} if gt(j, 2) {{ break }} }}"
        ),
        _ => round,
    };
    format!(
        "{{ let q := mload(0x40) mstore(0x40, add(q, {SIZE})) mstore(q, {second}) mstore({other}, {second}) \
         mstore({word}, {first}) {body} \
         {variable} := add({variable}, xor(mload({word}), mload({other}))) }}"
    )
}

/// A write of an element, and the word read behind it, where the branch bounds the index or beside that.
fn round(skeleton: &mut Skeleton<'_>, word: &str, variable: &str) -> String {
    let (index, test, write) = (skeleton.one_of(&INDICES), skeleton.one_of(&TESTS), skeleton.one_of(&WRITES));
    let constant = skeleton.one_of(&CONSTANTS);
    let place = skeleton.one_of(&PLACES).replace("CONSTANT", &constant);
    let written = format!("if lt(sub(at, q), {ENDS}) {{ {write} }}");
    let read = format!("{variable} := add({variable}, mload({word}))");
    let index = format!("let i := {index}");
    let place = format!("let at := {place}");
    match skeleton.random.below(4) {
        0 => format!("{index} if {test} {{ {place} {written} {read} }}"),
        1 => format!("{index} {place} if {test} {{ {written} }} {read}"),
        2 => format!("{index} {place} {written} if {test} {{ {read} }}"),
        _ => format!("{index} if iszero({test}) {{ stop() }} {place} {written} {read}"),
    }
}
