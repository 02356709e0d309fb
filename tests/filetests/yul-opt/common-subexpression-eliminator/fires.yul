// The step changes this program.
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
