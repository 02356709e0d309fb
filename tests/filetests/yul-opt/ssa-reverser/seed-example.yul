// The example of the reverser: the declaration and the assignment change places, then the eliminator and the pruner
// bring back what the transform was given.
// Shows S002-67, S002-149, S002-150.
//! run: yul-opt --steps oa
//! run: yul-opt --steps oaV
//! run: yul-opt --steps oaVcu
{
    let a := calldataload(0)
    if a { sstore(0, a) }
    a := mload(1)
    mstore(a, 1)
    if a { a := 2 }
    mstore(a, a)
}
// ---- yul-opt --steps oa
// {
//     let a_1 := calldataload(0)
//     let a := a_1
//     if a_1 { sstore(0, a_1) }
//     let a_2 := mload(1)
//     a := a_2
//     mstore(a_2, 1)
//     if a_2
//     {
//         let a_3 := 2
//         a := a_3
//     }
//     let a_4 := a
//     mstore(a_4, a_4)
// }
// ---- yul-opt --steps oaV
// {
//     let a := calldataload(0)
//     let a_1 := a
//     if a_1 { sstore(0, a_1) }
//     a := mload(1)
//     let a_2 := a
//     mstore(a_2, 1)
//     if a_2
//     {
//         a := 2
//         let a_3 := a
//     }
//     let a_4 := a
//     mstore(a_4, a_4)
// }
// ---- yul-opt --steps oaVcu
// {
//     {
//         let a := calldataload(0)
//         if a { sstore(0, a) }
//         a := mload(1)
//         mstore(a, 1)
//         if a { a := 2 }
//         mstore(a, a)
//     }
// }
