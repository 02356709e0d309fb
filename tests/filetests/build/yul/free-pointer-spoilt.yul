// What stands at 64 need not be a pointer, however the address of the store is computed.
//! exec: calldata=word(7),word(0x1000) => return word(3)
{
    mstore(0x40, memoryguard(0x80))
    let count := 0
    let half := shl(5, 1)
    mstore(add(half, half), not(0))
    count := add(count, is_large())

    mstore(0x40, memoryguard(0x80))
    put(half, not(1))
    count := add(count, is_large())

    mstore(0x40, memoryguard(0x80))
    put(0x80, 1)
    put(half, not(2))
    put(0xa0, 1)
    count := add(count, is_large())

    mstore(0, count)
    return(0, 32)

    function put(at, word) {
        for { let i := 0 } lt(i, calldataload(0)) { i := add(i, 1) } { sstore(i, word) }
        mstore(add(at, 0x20), word)
    }
    function is_large() -> answer {
        mstore(calldataload(0x20), 1)
        answer := gt(mload(0x40), 0xffffffffffffffff)
    }
}
