// A word of memory that the loop changes is loaded anew in each round.
//! exec: calldata=word(4) => return word(15)
{
    mstore(0x80, 1)
    let sum := 0
    for { let i := 0 } lt(i, calldataload(0)) { i := add(i, 1) } {
        let x := mload(0x80)
        sum := add(sum, x)
        mstore(0x80, mul(x, 2))
    }
    mstore(0, sum)
    return(0, 32)
}
