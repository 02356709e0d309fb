// What was stored on one way to a place is not believed on the other.
//! exec: calldata=word(0) => return word(1),word(5)
//! exec: calldata=word(1) => return word(2),word(6)
{
    sstore(0, 1)
    mstore(0x80, 5)
    if calldataload(0) {
        sstore(0, 2)
        mstore(0x80, 6)
    }
    mstore(0, sload(0))
    mstore(32, mload(0x80))
    return(0, 64)
}
