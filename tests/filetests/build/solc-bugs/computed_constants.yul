// Constants that are computed because that is cheaper are the same numbers.
//! exec: => return 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0,0x0000000000000000ffffffffffffffffffffffffffffffffffffffffffffffff,0xffff000000000000000000000000000000000000000000000000000000000001,0x0101010101010101010101010101010101010101010101010101010101010101,0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00
{
    mstore(0, 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0)
    mstore(32, 0xffffffffffffffffffffffffffffffffffffffffffffffff)
    mstore(64, 0xffff000000000000000000000000000000000000000000000000000000000001)
    mstore(96, 0x0101010101010101010101010101010101010101010101010101010101010101)
    mstore(128, 0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00)
    return(0, 160)
}
