// Hashes of one place with different lengths, or with memory changed between them, differ.
//! exec: calldata=word(7) => return word(0),word(0),word(1),word(0)
{
    mstore(0, calldataload(0))
    let a := keccak256(0, 32)
    let b := keccak256(0, 23)
    let c := keccak256(0, 32)
    mstore8(31, 8)
    let d := keccak256(0, 32)
    mstore(0, eq(a, b))
    mstore(32, eq(a, d))
    mstore(64, eq(a, c))
    mstore(96, eq(b, d))
    return(0, 128)
}
