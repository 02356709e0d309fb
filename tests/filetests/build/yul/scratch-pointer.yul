// What a loop keeps at 64 until it puts the pointer back may be any word, though it is computed
// from the round before.
//! exec: calldata=word(0x8000000000000000),word(0x8000000000000000) => return word(0)
//! exec: calldata=word(1),word(1) => return word(4)
{
    mstore(0x40, memoryguard(0x80))
    let m := mload(0x40)
    let s := calldataload(0)
    let t := 0
    for { let i := 0 } lt(i, 4) { i := add(i, 1) } {
        mstore(0x40, and(s, calldataload(32)))
        t := add(t, iszero(shr(63, mload(0x40))))
        s := mul(s, 3)
    }
    mstore(0x40, m)
    mstore(m, t)
    return(m, 32)
}
