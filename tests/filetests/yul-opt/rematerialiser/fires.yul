// The step changes this program.
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
