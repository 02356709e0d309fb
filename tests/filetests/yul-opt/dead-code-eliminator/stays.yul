// What the step needs is missing here, so it leaves the program alone.
// Shows S002-09.
//! run: yul-opt --steps oD
{
    if calldataload(0) { return(0, 0) }
    sstore(0, 2)
}
// ---- yul-opt --steps oD
// {
//     if calldataload(0) { return(0, 0) }
//     sstore(0, 2)
// }
