// The step changes this program.
// Shows S002-07.
//! run: yul-opt --steps on
{
    if mload(0) { }
    sstore(0, 1)
}
// ---- yul-opt --steps on
// {
//     pop(mload(0))
//     sstore(0, 1)
// }
