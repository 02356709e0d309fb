// What the step needs is missing here, so it leaves the program alone.
//! run: yul-opt --steps hoE
{
    let k := calldataload(0)
    let v := calldataload(32)
    sstore(k, v)
    pop(call(0, 0, 0, 0, 0, 0, 0))
    sstore(k, v)
}
// ---- yul-opt --steps hoE
// {
//     let k := calldataload(0)
//     let v := calldataload(32)
//     sstore(k, v)
//     pop(call(0, 0, 0, 0, 0, 0, 0))
//     sstore(k, v)
// }
