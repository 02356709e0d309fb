// What the step needs is missing here, so it leaves the program alone.
// Shows S002-14, S002-146.
//! run: yul-opt --steps gj
{
    let a := mload(0)
    sstore(a, a)
}
// ---- yul-opt --steps gj
// {
//     {
//         let a := mload(0)
//         sstore(a, a)
//     }
// }
