// Scratch data at 64 that goes into a call's input is not a pointer when it is loaded behind it.
//! exec: calldata=word(5),word(1),word(100),word(7) => return word(1)
{
    mstore(0x40, memoryguard(0x80))
    let m := mload(0x40)
    let acc := calldataload(0)
    let negatives := 0
    for { let i := 0 } lt(i, 3) { i := add(i, 1) } {
        let x := calldataload(add(32, shl(5, i)))
        mstore(0x00, acc)
        mstore(0x20, x)
        mstore(0x40, sub(acc, x))
        if iszero(staticcall(gas(), 2, 0x00, 0x60, 0x00, 0x20)) { revert(0, 0) }
        negatives := add(negatives, shr(255, mload(0x40)))
        acc := add(acc, x)
    }
    mstore(0x40, m)
    mstore(m, negatives)
    return(m, 32)
}
