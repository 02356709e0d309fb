//! A6: a call may change storage, transient storage, balances and accounts, and replaces return data.
//!
//! Programs call themselves, directly, through another contract and from a creation, between stores
//! and loads of the same words. `staticcall` changes nothing but return data. Not taken for granted:
//! that a call of a stranger leaves what is ours alone, that a failed one does nothing to return data.

use crate::harness::Case;
use crate::skeleton::{Picture, Skeleton, return_word};

const LEAVES: [&str; 6] = [
    "sstore(0, add(sload(0), 1)) stop()",
    "sstore(calldataload(0), 7) mstore(0, 3) return(0, 0x20)",
    "tstore(0, add(tload(0), 5)) sstore(1, 0) revert(0, 0x40)",
    "tstore(0, add(tload(0), 5)) sstore(1, callvalue()) return(0, 0x40)",
    "pop(call(9000, 0x4321, 1, 0, 0, 0, 0)) stop()",
    "if tload(1) { invalid() } tstore(1, 1) sstore(0, sload(1)) return(0, 1)",
];

/// Calls its creator, with bounded gas: one that fails must not take all but so little that builds differ
/// by what they cost alone.
const CREATION_THAT_CALLS: &str = "{ mstore(0, shl(160, 0x5f5f5f5f5f3362061a80f100)) pop(create(0, 0, 12)) }";

const STATEMENTS: [&str; 24] = [
    "sstore(0, #x)",
    "sstore(1, #x)",
    "tstore(0, #x)",
    "#v := sload(0)",
    "#v := add(#v, sload(1))",
    "#v := sload(#v)",
    "#v := add(#v, tload(0))",
    "#v := selfbalance()",
    "#v := balance(address())",
    "#v := balance(0x4321)",
    "#v := returndatasize()",
    "if returndatasize() { returndatacopy(0, 0, 1) #v := mload(0) }",
    "pop(call(400000, address(), 0, 0, 0x20, 0, 0x20))",
    "#v := call(400000, address(), and(#x, 1), 0, 0x40, 0, 0x40)",
    "#v := call(600000, 226, 0, 0, 0x20, 0x20, 0x20)",
    "#v := staticcall(300000, address(), 0, 0x20, 0, 0x20)",
    "#v := staticcall(300000, 226, 0, 0x20, 0x20, 0x20)",
    "#v := delegatecall(300000, address(), 0, 0x20, 0, 0x20)",
    "#v := delegatecall(60000, 227, 0, 0, 0, 0x20)",
    "#v := callcode(60000, 227, 0, 0, 0, 0, 0x20)",
    CREATION_THAT_CALLS,
    "{ mstore(0, shl(152, 0x5f5f5f5f5f3362061a80f15ffd)) #v := iszero(create(0, 0, 13)) }",
    "mstore(0, #x)",
    "#v := mload(0x20)",
];

pub(crate) fn case(seed: u64) -> Case {
    let start = |skeleton: &mut Skeleton<'_>| super::with_leaf(skeleton, &LEAVES);
    super::runtime(seed, &Picture { start, special, end: return_word, functions: "" })
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    skeleton.one_of(&STATEMENTS)
}
