// What the step needs is missing here, so it leaves the program alone.
//! run: yul-opt --steps U
{
    let x := calldataload(0)
    if x { revert(0, 0) }
    x := 1
    sstore(0, x)
}
// ---- yul-opt --steps U
// {
//     let x := calldataload(0)
//     if x { revert(0, 0) }
//     x := 1
//     sstore(0, x)
// }
