// The step changes this program.
//! run: yul-opt --steps U
{
    let x := calldataload(0)
    if x { revert(0, 0) }
    x := 0
    sstore(0, x)
}
// ---- yul-opt --steps U
// {
//     let x := calldataload(0)
//     if x { revert(0, 0) }
//     sstore(0, x)
// }
