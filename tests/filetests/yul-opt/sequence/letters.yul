// Letters, brackets and names are steps; what a step needs is inserted.
// Shows S002-49.
//! run: yul-opt --steps [xa]{VarNameCleaner}u
{
    let a := calldataload(0)
    a := add(a, 1)
    sstore(0, a)
}
// ---- yul-opt --steps [xa]{VarNameCleaner}u
// {
//     {
//         let _1 := 0
//         let a := calldataload(_1)
//         let a_1 := a
//         let _2 := 1
//         let a_2 := add(a, _2)
//         a_1 := a_2
//         let _3 := 0
//         sstore(_3, a_2)
//     }
// }
