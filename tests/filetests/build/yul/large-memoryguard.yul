// Memory is never as large as this: all of it is the program's.
//! run: verify
//! exec: calldata=word(5) => return word(5)
{
    let free := memoryguard(0xffffffffffffffe0)
    if lt(free, 5) { revert(0, 0) }
    mstore(0, calldataload(0))
    return(0, 0x20)
}
// ---- verify
