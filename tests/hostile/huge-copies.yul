{
    mstore(0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff, 1)
    codecopy(0, 0, 0xffffffffffffffff)
    mcopy(0x1000000000000, 0, 0xffffffff)
    for { let i := 0 } lt(i, 0xffffffffffff) { i := add(i, 1) } { mstore(mul(i, 32), exp(i, i)) }
    return(0, 0xffffffff)
}
