// A sum with a number that is not bounded wraps: what lies behind may be below allocated memory.
//! exec: => return word(9)
//! exec: calldata=word(0x4000) => return word(7)
{
    mstore(0x40, memoryguard(0x80))
    let m := mload(0x40)
    sstore(0, sub(calldataload(0), m))
    mstore(0x40, add(m, sload(0)))
    let found := 0
    for { let i := 0 } lt(i, 2) { i := add(i, 1) } {
        mstore(0x00, 7)
        mstore(mload(0x40), 9)
        found := mload(0x00)
    }
    mstore(0x40, m)
    mstore(m, found)
    return(m, 32)
}
