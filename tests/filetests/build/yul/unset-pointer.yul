// Before the pointer is set, 0 is found in its place.
//! exec: => return word(5)
//! exec: calldata=word(1) => return word(7)
{
    if calldataload(0) { mstore(0x40, memoryguard(0x80)) }
    mstore(0x00, 7)
    mstore(mload(0x40), 5)
    return(0x00, 32)
}
