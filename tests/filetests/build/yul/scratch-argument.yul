// A function that is not inlined keeps the difference of its arguments at 64 for a while.
//! exec: calldata=word(5),word(7) => return word(1)
//! exec: calldata=word(7),word(5) => return word(0)
{
    mstore(0x40, memoryguard(0x80))
    let t := fold(calldataload(0), calldataload(32))
    sstore(1, fold(calldataload(64), 3))
    sstore(2, fold(3, calldataload(64)))
    mstore(0, t)
    return(0, 32)

    function fold(a, b) -> r {
        let m := mload(0x40)
        mstore(0x40, sub(a, b))
        for { let i := 0 } lt(i, 2) { i := add(i, 1) } {
            mstore(0, i)
            mstore(0x20, a)
            if iszero(staticcall(gas(), 2, 0, 0x60, 0, 0x20)) { revert(0, 0) }
            sstore(mload(0), i)
            if slt(mload(0x40), 0) { r := 1 }
        }
        mstore(0x40, m)
    }
}
