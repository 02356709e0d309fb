// The step changes this program.
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
