//! A17: a program with a frame that keeps a pointer at 0x40 finds nothing else there.
//!
//! Memory is allocated in every shape that Solidity's compiler writes, with sizes from calldata up to
//! 2^256: the checks of those sizes are what must stay. The pointer is put back, rounded, moved in
//! loops and functions, and starts at the bound or above. The net `scratch` puts other things there.
//! Not taken for granted: that a size is small because the pointer is.

use crate::harness::Case;
use crate::skeleton::{Picture, Skeleton};

const STATEMENTS: [&str; 15] = [
    "{ let #n := allocate(0x40) mstore(#n, #x) mstore(add(#n, 0x20), #x) #v := keccak256(#n, 0x40) }",
    "{ let #n := allocate(#v) #v := add(#v, 1) }",
    "{ let #n := allocate_array(#v) #v := mload(#n) }",
    "{ let #n := allocate_array(and(#v, 7)) mstore(add(#n, 0x20), #x) #v := add(mload(#n), mload(add(#n, 0x20))) }",
    "{ let #n := mload(0x40) finalize(#n, and(#v, 0xff)) }",
    "{ let #n := mload(0x40) finalize(#n, #v) #v := 9 }",
    "{ let #n := mload(0x40) mstore(#n, #x) mstore(add(#n, 0x20), #x) #v := keccak256(#n, sub(add(#n, 0x40), #n)) }",
    "{ let #n := mload(0x40) mstore(0x40, add(#n, 0x60)) mstore(add(#n, 0x40), #x) #v := mload(add(#n, 0x40)) mstore(0x40, #n) }",
    "{ let #n := mload(0x40) calldatacopy(#n, 0, calldatasize()) mstore(0x40, add(#n, and(add(calldatasize(), 31), not(31)))) #v := mload(#n) }",
    "#v := iszero(lt(mload(0x40), 0xffffffffffffffff))",
    "#v := slt(mload(0x40), 0)",
    "if gt(mload(0x40), 0xffffffffffffffff) { panic() }",
    "if gt(#v, 0xffffffffffffffff) { panic() }",
    "{ let #n := returned() #v := mload(#n) }",
    "mstore(0, #x)",
];

const FUNCTIONS: &str = "
function panic() { mstore(0, shl(224, 0x4e487b71)) mstore(4, 0x41) revert(0, 0x24) }
function finalize(place, size) {
    let next := add(place, and(add(size, 31), not(31)))
    if or(gt(next, 0xffffffffffffffff), lt(next, place)) { panic() }
    mstore(0x40, next)
}
function allocate(size) -> place { place := mload(0x40) finalize(place, size) }
function allocate_array(length) -> place {
    if gt(length, 0xffffffffffffffff) { panic() }
    place := allocate(add(mul(length, 0x20), 0x20))
    mstore(place, length)
}
function returned() -> place {
    pop(call(60000, 225, 0, 0, 0x20, 0, 0))
    switch returndatasize() case 0 { place := 0x60 } default {
        place := allocate_array(returndatasize()) returndatacopy(add(place, 0x20), 0, returndatasize())
    }
}";

pub(crate) fn case(seed: u64) -> Case {
    super::runtime(seed, &Picture { start, special, end, functions: FUNCTIONS })
}

fn start(skeleton: &mut Skeleton<'_>) -> String {
    skeleton.one_of(&[
        "mstore(0x40, memoryguard(0x80))",
        "mstore(0x40, memoryguard(0x80))",
        "mstore(0x40, memoryguard(0x100))",
        "mstore(0x40, 0x80)",
        "let start_ := memoryguard(0x80) mstore(0x40, add(start_, 0x20))",
    ])
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    skeleton.one_of(&STATEMENTS)
}

fn end(skeleton: &mut Skeleton<'_>) -> String {
    let value = skeleton.value();
    format!("let last_ := allocate(0x20) mstore(last_, {value}) return(last_, 0x20)")
}
