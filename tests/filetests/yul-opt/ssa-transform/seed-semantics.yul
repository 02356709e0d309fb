// Variables that are assigned to somewhere are renamed, others not. At the end of a block that assigns to one,
// and in loops, the newest name is of no use: the variable gets a new one where control flow joins.
// Shows S002-76, S002-79, S002-80, S002-81, S002-82.
//! run: yul-opt --steps oa
{
    let kept := calldataload(0)
    let a := calldataload(1)
    if kept { a := add(a, kept) mstore(0, a) }
    mstore(1, a)
    for { } lt(a, 9) { a := add(a, 1) } { mstore(a, kept) if a { a := 7 } mstore(2, a) }
    sstore(a, kept)
}
// ---- yul-opt --steps oa
// {
//     let kept := calldataload(0)
//     let a_1 := calldataload(1)
//     let a := a_1
//     if kept
//     {
//         let a_2 := add(a_1, kept)
//         a := a_2
//         mstore(0, a_2)
//     }
//     let a_5 := a
//     mstore(1, a_5)
//     for { }
//     lt(a, 9)
//     {
//         let a_8 := a
//         let a_3 := add(a_8, 1)
//         a := a_3
//     }
//     {
//         let a_6 := a
//         mstore(a_6, kept)
//         if a_6
//         {
//             let a_4 := 7
//             a := a_4
//         }
//         let a_7 := a
//         mstore(2, a_7)
//     }
//     let a_9 := a
//     sstore(a_9, kept)
// }
