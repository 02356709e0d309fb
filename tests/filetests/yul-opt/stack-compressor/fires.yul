// The step changes this program.
//! run: yul-opt --steps ohg{StackCompressor}f
{
    let a := calldataload(0)
    sstore(a, a)
}
// ---- yul-opt --steps ohg{StackCompressor}f
// {
//     {
//         let a := calldataload(0)
//         sstore(a, a)
//     }
// }
