// The hash of a region is known for its length only, and until memory is written.
//! run: yul-opt --steps oxcL
{
    let x := calldataload(0)
    let a := keccak256(0, x)
    let b := keccak256(0, 32)
    mstore(0, b)
    let c := keccak256(0, x)
    sstore(a, c)
}
// ---- yul-opt --steps oxcL
// {
//     let _1 := 0
//     let x := calldataload(_1)
//     let _2 := _1
//     let a := keccak256(_1, x)
//     let _3 := 32
//     let _4 := _1
//     let b := keccak256(_1, _3)
//     let _5 := _1
//     mstore(_1, b)
//     let _6 := _1
//     let c := keccak256(_1, x)
//     sstore(a, c)
// }
