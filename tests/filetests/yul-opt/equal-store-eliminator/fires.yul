// The step changes this program.
//! run: yul-opt --steps hoE
{
    let k := calldataload(0)
    let v := calldataload(32)
    sstore(k, v)
    sstore(k, v)
}
// ---- yul-opt --steps hoE
// {
//     let k := calldataload(0)
//     let v := calldataload(32)
//     sstore(k, v)
// }
