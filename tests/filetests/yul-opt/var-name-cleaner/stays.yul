// What the step needs is missing here, so it leaves the program alone.
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
