// The step changes this program.
// Shows S002-32.
//! run: yul-opt --steps ohm
{
    let a := calldatasize()
    sstore(a, a)
}
// ---- yul-opt --steps ohm
// {
//     let a := calldatasize()
//     sstore(calldatasize(), calldatasize())
// }
