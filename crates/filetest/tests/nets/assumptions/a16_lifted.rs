//! A16: touching memory from 2^27 up always fails, and the failure is what the program does.
//!
//! Programs without frames are compiled to bytecode, and that is compiled anew as bytecode: it does
//! the same. Addresses are computed, below a kilobyte in most runs and beyond 2^27 in some. Not taken
//! for granted: that an address that is computed is small, that what fails may be left out.

use crate::harness::{Case, Role};
use crate::skeleton::{Picture, Skeleton, return_word};

const STATEMENTS: [&str; 14] = [
    "mstore(and(#v, 0x3ff), #x)",
    "#v := mload(and(#v, 0x3ff))",
    "mstore(mul(and(#v, 7), 0x20), #x)",
    "if eq(#v, 0x3f) { mstore(0x8000000, #x) }",
    "if eq(#v, 0x101) { pop(mload(0x8000000)) }",
    "if eq(#v, 0x5f) { mstore8(shl(27, #v), #x) }",
    "calldatacopy(and(#v, 0xff), and(#v, 0x1f), and(#v, 0x3f))",
    "#v := keccak256(and(#v, 0xff), and(#v, 0x3f))",
    "#v := add(#v, mload(0x40))",
    "mstore(0x40, #x)",
    "sstore(#v, #x)",
    "#v := sload(#v)",
    "pop(call(60000, 225, 0, and(#v, 0x1f), 0x20, and(#v, 0x7f), 0x20))",
    "log1(and(#v, 0x7f), 0x20, #x)",
];

pub(crate) fn case(seed: u64) -> Case {
    let picture = Picture { start: |_| String::new(), special, end: return_word, functions: "" };
    Case { role: Role::Recompiled, ..super::runtime(seed, &picture) }
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    skeleton.one_of(&STATEMENTS)
}
