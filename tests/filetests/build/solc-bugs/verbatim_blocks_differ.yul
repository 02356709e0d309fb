// Blocks that differ only in the bytes of `verbatim` are not one block.
//! exec: calldata=word(0) => return word(7) ; storage[1]=1
//! exec: calldata=word(1) => return word(12) ; storage[1]=1
{
    switch calldataload(0)
    case 0 {
        let r := verbatim_2i_1o(hex"03", 10, 3)
        mstore(0, r)
        sstore(1, 1)
    }
    default {
        let r := verbatim_2i_1o(hex"01", 9, 3)
        mstore(0, r)
        sstore(1, 1)
    }
    return(0, 32)
}
