// Arguments are evaluated right to left: the digits come out in the order of the calls.
//! exec: => return word(3)
//! exec: calldata=word(1) => return word(3) ; storage[0]=321
{
    mstore(0, sub(digit(1), sub(digit(2), digit(3))))
    if calldatasize() { sstore(0, tload(0)) }
    mstore(0, add(mload(0), 1))
    return(0, 32)

    // 1 - (2 - 3) = 2
    function digit(n) -> value {
        tstore(0, add(mul(tload(0), 10), n))
        value := n
    }
}
