// The step changes this program.
// Shows S002-33, S002-127.
//! run: yul-opt --steps oT
{
    let a := 7
    sstore(a, a)
}
// ---- yul-opt --steps oT
// {
//     let a := 7
//     sstore(7, 7)
// }
