// What the step needs is missing here, so it leaves the program alone.
// Shows S002-03.
//! run: yul-opt --steps gf
{
    if calldataload(0) { mstore(0, 1) }
}
// ---- yul-opt --steps gf
// {
//     {
//         if calldataload(0) { mstore(0, 1) }
//     }
// }
