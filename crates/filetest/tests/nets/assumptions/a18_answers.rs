//! A18: what the chain says of balances and code may be another word behind any call or creation, and
//! is the same between them.
//!
//! Programs ask before and behind calls and creations that send wei, leave code, or do neither: in
//! branches, loops and functions, the same question again, of accounts that are there and of those
//! that come to be. Not taken for granted: that only a call with value moves a balance, that an
//! account has the code it had, that a failed call changes nothing but return data.

use crate::harness::Case;
use crate::skeleton::{Picture, Skeleton, return_word};

const LEAVES: [&str; 5] = [
    "pop(call(9000, 0x4321, 2, 0, 0, 0, 0)) stop()",
    "mstore(0, selfbalance()) return(0, 0x20)",
    "pop(call(9000, 0x4321, 1, 0, 0, 0, 0)) revert(0, 0x20)",
    "mstore(0, shl(224, 0x60015ff3)) mstore(0, create(1, 0, 4)) return(0, 0x20)",
    "mstore(0, add(callvalue(), balance(caller()))) return(0, 0x20)",
];

/// What may answer otherwise later, and what may not on this chain but is asked all the same.
const QUESTIONS: [&str; 14] = [
    "#v := selfbalance()",
    "#v := add(#v, selfbalance())",
    "#v := balance(address())",
    "#v := add(#v, mul(7, balance(0x4321)))",
    "#v := balance(#v)",
    "#v := extcodesize(#v)",
    "#v := add(#v, extcodesize(0x4321))",
    "#v := extcodehash(#v)",
    "#v := iszero(eq(extcodehash(0x4321), #x))",
    "{ mstore(0, #x) extcodecopy(#v, 0, 0, 3) #v := mload(0) }",
    "if eq(selfbalance(), #v) { #v := #x }",
    "#v := sub(balance(address()), selfbalance())",
    "#v := add(number(), timestamp())",
    "#v := xor(xor(gasprice(), basefee()), blockhash(sub(number(), 1)))",
];

const ACTIONS: [&str; 13] = [
    "pop(call(9000, 0x4321, 1, 0, 0, 0, 0))",
    "#v := call(9000, 0x4321, and(#x, 3), 0, 0, 0, 0)",
    "pop(call(9000, 0x4321, #x, 0, 0, 0, 0))",
    "#v := call(400000, address(), and(#x, 1), 0, 0x20, 0, 0x20)",
    "#v := call(600000, 226, 1, 0, 0x20, 0x20, 0x20)",
    "#v := staticcall(300000, address(), 0, 0x20, 0, 0x20)",
    "#v := delegatecall(300000, address(), 0, 0x20, 0, 0x20)",
    "{ mstore(0, shl(224, 0x60015ff3)) #v := create(1, 0, 4) }",
    "{ mstore(0, shl(224, 0x60015ff3)) #v := create(0, 0, 4) }",
    "{ mstore(0, shl(224, 0x60015ffd)) pop(create(3, 0, 4)) }",
    // Sends what it was given back to its creator and is gone at the end.
    "{ mstore(0, shl(240, 0x33ff)) #v := create(2, 0, 2) }",
    "{ mstore(0, shl(240, 0x33ff)) pop(create(and(#x, 3), 0, 2)) }",
    "sstore(#v, #x)",
];

pub(crate) fn case(seed: u64) -> Case {
    let start = |skeleton: &mut Skeleton<'_>| super::with_leaf(skeleton, &LEAVES);
    super::runtime(seed, &Picture { start, special, end: return_word, functions: "" })
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    match skeleton.random.below(5) {
        0..3 => skeleton.one_of(&QUESTIONS),
        _ => skeleton.one_of(&ACTIONS),
    }
}
