// The step changes this program.
// Shows S002-37, S002-74.
//! run: yul-opt --steps oa
{
    let a := 1
    if calldataload(0) { a := 2 }
    sstore(0, a)
}
// ---- yul-opt --steps oa
// {
//     let a_1 := 1
//     let a := a_1
//     if calldataload(0)
//     {
//         let a_2 := 2
//         a := a_2
//     }
//     let a_3 := a
//     sstore(0, a_3)
// }
