// The step changes this program.
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
