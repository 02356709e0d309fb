//! A13: memory from 2^64 up is never reached.
//!
//! Addresses far up with sizes of zero, which touch nothing; sums of large numbers that wrap to small
//! addresses, which is where they lie; accesses far up on paths that are rarely taken and fail. Not
//! taken for granted: that a large constant in an address makes the address large, that an operation
//! with a large address fails.

use crate::harness::Case;
use crate::skeleton::{Picture, Skeleton};

const STATEMENTS: [&str; 21] = [
    "calldatacopy(not(0), 0, 0)",
    "calldatacopy(shl(64, 1), 0, sub(#v, #v))",
    "mcopy(not(0), shl(128, 1), 0)",
    "#v := keccak256(not(0), 0)",
    "#v := keccak256(#v, 0)",
    "log0(shl(64, 1), 0)",
    "if #t { revert(not(0), 0) }",
    "if eq(#v, 7) { return(shl(255, 1), 0) }",
    "pop(call(50000, 225, 0, not(0), 0, shl(64, 1), 0))",
    "mstore(add(not(0x1f), 0x40), #x)",
    "{ let #n := #v mstore(add(#n, sub(0x40, #n)), #x) }",
    "#v := mload(add(not(0), 1))",
    "#v := mload(add(sub(0, 0x40), 0x60))",
    "mstore8(add(shl(255, 1), add(shl(255, 1), 0x21)), #x)",
    "calldatacopy(add(not(0x3f), 0x60), 0, 0x20)",
    "mcopy(add(not(0), 0x21), 0, 0x20)",
    "if eq(#v, 0x101) { mstore(shl(64, 1), #x) }",
    "if eq(#v, 0x5f) { #v := mload(not(0)) }",
    "mstore(0, #x)",
    "mstore(0x20, #x)",
    "#v := add(mload(0), mload(0x20))",
];

pub(crate) fn case(seed: u64) -> Case {
    super::runtime(seed, &Picture { start, special, end, functions: "" })
}

/// A heap that is reached by any constant from its start.
fn start(skeleton: &mut Skeleton<'_>) -> String {
    if skeleton.random.once_in(3) {
        String::new()
    } else {
        "mstore(0x60, sub(memoryguard(0x80), memoryguard(0x80)))".to_owned()
    }
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    skeleton.one_of(&STATEMENTS)
}

fn end(_: &mut Skeleton<'_>) -> String {
    "return(0, 0x80)".to_owned()
}
