// Two stores to the values of one variable are to different places when it was assigned between.
//! exec: calldata=word(1) => stop ; storage[1]=10 ; storage[2]=20
{
    let x := calldataload(0)
    sstore(x, 10)
    x := add(x, 1)
    sstore(x, 20)
    stop()
}
