//! A1: gas is seen through `gas()`, which keeps its order against effects.
//!
//! Programs compare readings with each other in ways that hold for any price of the code between:
//! later ones are less, and less by what a log or a call between them costs at least. Loops burn gas
//! down to a reading. Not taken for granted: that two readings are equal, or that one can be moved.

use crate::harness::Case;
use crate::skeleton::{Picture, Skeleton, maybe_guard, return_word};

const STATEMENTS: [&str; 11] = [
    "#v := eq(gas(), gas())",
    "#v := gt(gas(), gas())",
    "{ let #n := gas() log0(0, 0x20) #v := gt(sub(#n, gas()), 374) }",
    "{ let #n := gas() log1(0, 0, #x) if lt(sub(#n, gas()), 750) { #v := 1 } }",
    "{ let #n := gas() pop(call(60000, 227, 0, 0, 0, 0, 0)) #v := add(#v, gt(sub(#n, gas()), 99)) }",
    "{ let #n := sub(gas(), 3000) for { } gt(gas(), #n) { } { } #v := iszero(gt(gas(), #n)) }",
    "{ let #n := gas() if #t { log0(0, 1) #v := add(#v, gt(sub(#n, gas()), 374)) } }",
    "#v := add(#v, call(div(gas(), 2), 225, 0, 0, 0x20, 0, 0x20))",
    "#v := add(#v, staticcall(gas(), 2, 0, 0x20, 0, 0x20))",
    "mstore(0, #x)",
    "#v := add(#v, and(mload(0), 0xff))",
];

pub(crate) fn case(seed: u64) -> Case {
    super::runtime(seed, &Picture { start: maybe_guard, special, end: return_word, functions: "" })
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    skeleton.one_of(&STATEMENTS)
}
