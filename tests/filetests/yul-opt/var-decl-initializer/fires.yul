// The step changes this program.
// Shows S002-45.
//! run: yul-opt --steps d
{
    let a, b
    sstore(a, b)
}
// ---- yul-opt --steps d
// {
//     let a := 0
//     let b := 0
//     sstore(a, b)
// }
