// The step changes this program.
// Shows S002-46.
//! run: yul-opt --steps hg{VarNameCleaner}
{
    let a_7 := 1
    let a_8 := 2
    sstore(a_7, a_8)
}
// ---- yul-opt --steps hg{VarNameCleaner}
// {
//     {
//         let a := 1
//         let a_1 := 2
//         sstore(a, a_1)
//     }
// }
