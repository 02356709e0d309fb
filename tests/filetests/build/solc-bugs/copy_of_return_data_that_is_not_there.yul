// Copying more return data than there is fails; a call in between replaces it.
//! exec: calldata=word(0) => return word(0)
//! exec: calldata=word(32) => halt
{
    pop(staticcall(gas(), 4, 0, 32, 0, 0))
    let before := returndatasize()
    pop(staticcall(gas(), 2, 0, 0, 0, 0))
    pop(call(gas(), 0x1234, 0, 0, 0, 0, 0))
    returndatacopy(0x80, 0, calldataload(0))
    mstore(0, sub(before, 32))
    return(0, 32)
}
