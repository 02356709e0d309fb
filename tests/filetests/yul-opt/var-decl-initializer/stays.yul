// What the step needs is missing here, so it leaves the program alone.
// Shows S002-45.
//! run: yul-opt --steps d
{
    let a := 1
    sstore(a, a)
}
// ---- yul-opt --steps d
// {
//     let a := 1
//     sstore(a, a)
// }
