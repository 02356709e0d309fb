// A loop over scratch memory writes at 64, though its addresses are computed.
//! exec: calldata=word(-1) => return word(1)
{
    mstore(0x40, memoryguard(0x80))
    let m := mload(0x40)
    for { let p := 0 } lt(p, 0x60) { p := add(p, 0x20) } { mstore(p, calldataload(0)) }
    let t := shr(255, mload(0x40))
    mstore(0x40, m)
    mstore(m, t)
    return(m, 32)
}
