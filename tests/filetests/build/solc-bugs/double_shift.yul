// Amounts of joined shifts are not added modulo 2^256, nor is their sum a shift of less.
//! exec: calldata=word(-1) => return word(0),word(0),word(-1),word(0),word(256)
{
    let x := calldataload(0)
    let huge := not(0)
    mstore(0, shl(huge, shl(2, x)))
    mstore(32, shr(200, shr(100, x)))
    mstore(64, sar(200, sar(100, x)))
    mstore(96, shr(2, shr(huge, x)))
    mstore(128, shl(8, shr(255, x)))
    return(0, 160)
}
