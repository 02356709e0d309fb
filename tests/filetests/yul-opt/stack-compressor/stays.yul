// What the step needs is missing here, so it leaves the program alone.
// Shows S002-39.
//! run: yul-opt --steps ohg{StackCompressor}f
{
    let a := mload(0)
    mstore(0, 1)
    sstore(a, a)
}
// ---- yul-opt --steps ohg{StackCompressor}f
// {
//     {
//         let a := mload(0)
//         mstore(0, 1)
//         sstore(a, a)
//     }
// }
