// `byte` takes the index first: only `byte(31, x)` is the low byte of `x`.
//! exec: calldata=word(0x1234),word(31),word(0) => return word(0x34),word(31),word(0),word(0),word(0x34)
{
    let x := calldataload(0)
    let index := calldataload(32)
    mstore(0, byte(31, x))
    mstore(32, byte(index, 31))
    mstore(64, byte(calldataload(64), 31))
    mstore(96, byte(x, 31))
    mstore(128, byte(sub(32, 1), x))
    return(0, 160)
}
