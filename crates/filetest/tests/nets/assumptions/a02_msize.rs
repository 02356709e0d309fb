//! A2: the size of memory is seen through `msize()` only.
//!
//! Half of the programs ask for it, behind accesses whose results nobody sees and in branches; the
//! other half do the same accesses and do not ask. All memory is the program's. Not taken for granted:
//! that an access without a use is without effect, that copies of no bytes touch memory.

use crate::harness::Case;
use crate::skeleton::{Picture, Skeleton, return_word};

const ACCESSES: [&str; 16] = [
    "pop(mload(0x123))",
    "pop(mload(and(#x, 0xfff)))",
    "mstore(0x1ff, #x)",
    "mstore8(0x2e0, #x)",
    "mstore8(and(#x, 0x3ff), #x)",
    "pop(keccak256(0x300, and(#v, 0x7f)))",
    "calldatacopy(0x400, 0, 0)",
    "calldatacopy(0x380, 0, 0x21)",
    "mcopy(0x3a0, 0x500, 1)",
    "mcopy(0x20, 0x40, 0x20)",
    "codecopy(0x600, 0, 0)",
    "pop(staticcall(gas(), 4, 0, 0x20, 0x640, 0x20))",
    "log0(0x680, 1)",
    "if #t { pop(mload(0x700)) }",
    "#v := mload(and(#v, 0x1e0))",
    "extcodecopy(0xe1, 0x420, 0, 0x20)",
];
const QUESTIONS: [&str; 4] = [
    "#v := msize()",
    "#v := add(#v, msize())",
    "if gt(msize(), 0x200) { #v := add(#v, 1) }",
    "{ let #n := msize() pop(mload(#n)) #v := sub(msize(), #n) }",
];

pub(crate) fn case(seed: u64) -> Case {
    let special = if seed.is_multiple_of(2) { asking } else { silent };
    super::runtime(seed, &Picture { start: |_| String::new(), special, end: return_word, functions: "" })
}

fn asking(skeleton: &mut Skeleton<'_>) -> String {
    if skeleton.random.once_in(3) { skeleton.one_of(&QUESTIONS) } else { skeleton.one_of(&ACCESSES) }
}

fn silent(skeleton: &mut Skeleton<'_>) -> String {
    skeleton.one_of(&ACCESSES)
}
