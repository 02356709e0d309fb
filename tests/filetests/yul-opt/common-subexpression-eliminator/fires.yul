// The step changes this program.
// Shows S002-06, S002-105.
//! run: yul-opt --steps ohc
{
    let a := mul(calldatasize(), 2)
    let b := mul(calldatasize(), 2)
    sstore(a, b)
}
// ---- yul-opt --steps ohc
// {
//     let a := mul(calldatasize(), 2)
//     let b := a
//     sstore(a, a)
// }
