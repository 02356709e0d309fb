//! A15: a word is what was written there last, by this frame or by a call.
//!
//! Stores and loads of storage, transient storage and memory whose keys and addresses are equal, may be
//! equal or overlap, in loops and branches, with calls between that write the same words or cannot.
//! Words that were there before the call are loaded, too. Not taken for granted: that storage begins
//! empty, that different expressions are different places.

use crate::harness::Case;
use crate::skeleton::{Picture, Skeleton, maybe_guard, return_word};

const STATEMENTS: [&str; 22] = [
    "sstore(0, #x)",
    "sstore(#v, #x)",
    "sstore(and(#v, 1), #x)",
    "#v := sload(0)",
    "#v := add(#v, sload(1))",
    "#v := sload(#v)",
    "#v := sload(and(#v, 1))",
    "tstore(0, #x)",
    "tstore(#v, #x)",
    "#v := tload(0)",
    "#v := add(#v, tload(#v))",
    "mstore(0, #x)",
    "mstore(and(#v, 0x1f), #x)",
    "mstore8(and(#v, 0x3f), #x)",
    "#v := mload(0)",
    "#v := mload(and(#v, 0x20))",
    "mcopy(and(#v, 1), 0, 0x1f)",
    "pop(delegatecall(60000, 227, 0, 0, 0, 0))",
    "pop(call(60000, 227, 0, 0, 0, 0, 0x20))",
    "pop(staticcall(60000, 225, 0, 0x20, 1, 0x20))",
    "sstore(1, sload(1))",
    "{ let #n := sload(0) sstore(0, #x) if #t { sstore(0, #n) } }",
];

pub(crate) fn case(seed: u64) -> Case {
    super::runtime(seed, &Picture { start: maybe_guard, special, end: return_word, functions: "" })
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    skeleton.one_of(&STATEMENTS)
}
