// The step changes this program.
// Shows S002-31, S002-87.
//! run: yul-opt --steps or
{
    let a
    a := 1
    a := calldatasize()
    sstore(0, a)
}
// ---- yul-opt --steps or
// {
//     let a
//     a := calldatasize()
//     sstore(0, a)
// }
