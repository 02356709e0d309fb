// What the step needs is missing here, so it leaves the program alone.
// Shows S002-37, S002-76.
//! run: yul-opt --steps oa
{
    let a := calldataload(0)
    sstore(0, a)
}
// ---- yul-opt --steps oa
// {
//     let a := calldataload(0)
//     sstore(0, a)
// }
