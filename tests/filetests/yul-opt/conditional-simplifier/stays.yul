// What the step needs is missing here, so it leaves the program alone.
//! run: yul-opt --steps C
{
    let x := calldataload(0)
    if x { mstore(0, 1) }
    sstore(0, x)
}
// ---- yul-opt --steps C
// {
//     let x := calldataload(0)
//     if x { mstore(0, 1) }
//     sstore(0, x)
// }
