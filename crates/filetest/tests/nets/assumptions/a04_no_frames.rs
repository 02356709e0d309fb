//! A4: without `memoryguard` all memory is the program's; nothing of ours lives there.
//!
//! Programs write words anywhere in the first kilobyte, at constant and computed addresses, and give
//! all of it back. Not taken for granted: that memory is used in words, or from an end.

use crate::harness::Case;
use crate::skeleton::{Picture, Skeleton};

const STATEMENTS: [&str; 12] = [
    "mstore(and(#x, 0x3ff), #x)",
    "mstore8(and(#x, 0x3ff), #x)",
    "mstore(0x40, #x)",
    "mstore(0x80, #x)",
    "calldatacopy(and(#x, 0x1ff), and(#v, 0x1f), and(#v, 0xff))",
    "mcopy(and(#x, 0xff), and(#x, 0xff), and(#x, 0xff))",
    "mcopy(add(and(#v, 0x1f), 1), and(#v, 0x1f), 0x40)",
    "#v := mload(and(#x, 0x3ff))",
    "#v := keccak256(and(#x, 0x7f), and(#x, 0x7f))",
    "pop(staticcall(gas(), 4, and(#x, 0x7f), 0x60, 0x20, and(#v, 0x7f)))",
    "#v := spill(#x, #x, #x, #x, #x, #x)",
    "mstore(add(and(#v, 0xff), 0x20), mload(and(#v, 0xff)))",
];

const FUNCTIONS: &str = "function spill(a, b, c, d, e, f) -> r {
    mstore(0x60, a) mstore(0x80, b) mstore(0xa0, c)
    r := add(add(mul(d, e), mul(f, a)), add(mul(b, c), mload(0x70)))
}";

pub(crate) fn case(seed: u64) -> Case {
    super::runtime(seed, &Picture { start: |_| String::new(), special, end, functions: FUNCTIONS })
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    skeleton.one_of(&STATEMENTS)
}

fn end(skeleton: &mut Skeleton<'_>) -> String {
    skeleton.one_of(&["return(0, 0x440)", "return(0, 0x440)", "revert(0, 0x440)", "log0(0, 0x440) stop()"])
}
