// What the step needs is missing here, so it leaves the program alone.
// Shows S002-40.
//! run: yul-opt --steps ohTt
{
    if calldataload(0) { sstore(0, 1) }
}
// ---- yul-opt --steps ohTt
// {
//     if calldataload(0) { sstore(0, 1) }
// }
