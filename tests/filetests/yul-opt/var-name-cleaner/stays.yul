// What the step needs is missing here, so it leaves the program alone.
// Shows S002-46.
//! run: yul-opt --steps hg{VarNameCleaner}
{
    let a7 := 1
    sstore(a7, a7)
}
// ---- yul-opt --steps hg{VarNameCleaner}
// {
//     {
//         let a7 := 1
//         sstore(a7, a7)
//     }
// }
