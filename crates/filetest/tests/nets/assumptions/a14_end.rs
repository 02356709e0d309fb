//! A14: memory is gone when its frame ends, but for what `return` and `revert` give back.
//!
//! Stores of words and bytes, copies and outputs of calls right before ends that give back parts of
//! them, cut at any byte, of computed length, in functions, loops and branches, and of inner frames.
//! Not taken for granted: that a result is a word, that a store is given back whole or not at all.

use crate::harness::Case;
use crate::skeleton::{Picture, Skeleton};

const STORES: [&str; 11] = [
    "mstore(0, #x)",
    "mstore(0x10, #x)",
    "mstore(0x1f, #x)",
    "mstore8(0x20, #x)",
    "mstore(and(#v, 0x1f), #x)",
    "calldatacopy(5, 3, 0x39)",
    "mcopy(0x21, 1, 0x1f)",
    "mcopy(mload(0x40), 0, 0x40)",
    "pop(staticcall(gas(), 4, 0, 0x31, 0x0f, 0x31))",
    "pop(call(500000, address(), 0, 0, 0x20, 0x11, 0x2f))",
    "#v := mload(0x0d)",
];

const ENDS: [&str; 13] = [
    "return(0, 0x20)",
    "return(0x0f, 0x11)",
    "return(0x1f, 2)",
    "return(and(#v, 0x1f), and(#v, 0x21))",
    "return(mload(0x40), 0x21)",
    "return(0, 0)",
    "revert(0x10, 0x20)",
    "revert(and(#v, 0x1f), 0x21)",
    "revert(0, 0)",
    "stop()",
    "selfdestruct(#v)",
    "log0(0x07, 0x2a) stop()",
    "mstore(0, keccak256(3, 0x33)) return(0, 0x20)",
];

pub(crate) fn case(seed: u64) -> Case {
    super::runtime(seed, &Picture { start, special, end, functions: "" })
}

fn start(skeleton: &mut Skeleton<'_>) -> String {
    let inner = skeleton.one_of(&[
        "mstore(0, 3) mstore8(0x1f, 9) return(1, 0x20)",
        "mstore(0x20, not(0)) revert(0x1f, 0x21)",
        "calldatacopy(0, 0, 0x20) stop()",
    ]);
    let guard = crate::skeleton::maybe_guard(skeleton);
    format!("{guard}\nif lt(calldatasize(), 0x41) {{ {inner} }}")
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    if skeleton.random.once_in(4) {
        let (test, end) = (skeleton.test(), skeleton.one_of(&ENDS));
        return format!("if {test} {{ {} {end} }}", skeleton.one_of(&STORES));
    }
    skeleton.one_of(&STORES)
}

fn end(skeleton: &mut Skeleton<'_>) -> String {
    format!("{} {}", skeleton.one_of(&STORES), skeleton.one_of(&ENDS))
}
