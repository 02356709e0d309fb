//! A12: gas, sizes and addresses fit so many bits.
//!
//! Programs cut and test such words at the bound and below it, where a cut changes something, and use
//! addresses with bits above the 160th, which the EVM ignores. Not taken for granted: that a word
//! which is used as an address is one, that a bound holds for sums.

use crate::harness::Case;
use crate::skeleton::{Picture, Skeleton, return_word};

const STATEMENTS: [&str; 22] = [
    "#v := shr(64, gas())",
    "#v := lt(gas(), 0x10000000000000000)",
    "#v := shr(63, calldatasize())",
    "#v := and(calldatasize(), 0x3f)",
    "#v := and(calldatasize(), 0x7fffffffffffffff)",
    "#v := slt(sub(calldatasize(), #v), 0x40)",
    "#v := gt(add(calldatasize(), #v), #v)",
    "#v := shr(48, returndatasize())",
    "#v := shr(160, caller())",
    "#v := and(caller(), sub(shl(160, 1), 1))",
    "#v := and(caller(), sub(shl(152, 1), 1))",
    "#v := signextend(19, address())",
    "#v := sub(address(), #v)",
    "#v := extcodesize(or(#v, 225))",
    "#v := extcodesize(or(shl(160, #v), 225))",
    "#v := balance(or(shl(160, #v), address()))",
    "#v := add(#v, eq(extcodehash(or(shl(200, 1), 225)), extcodehash(225)))",
    "#v := call(50000, or(shl(160, #v), 225), 0, 0, 0x20, 0, 0x20)",
    "#v := staticcall(gas(), or(shl(160, #v), 4), 0, 0x20, 0x20, 0x20)",
    "#v := lt(extcodesize(225), 0x10000)",
    "#v := eq(create(0, 0, 0), shr(96, shl(96, #v)))",
    "mstore(0, #x)",
];
const SIZES: [&str; 3] =
    ["#v := shr(48, msize())", "#v := shr(6, msize())", "#v := and(msize(), 0xffffffffffff)"];

pub(crate) fn case(seed: u64) -> Case {
    super::runtime(seed, &Picture { start: |_| String::new(), special, end: return_word, functions: "" })
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    if skeleton.random.once_in(10) { skeleton.one_of(&SIZES) } else { skeleton.one_of(&STATEMENTS) }
}
