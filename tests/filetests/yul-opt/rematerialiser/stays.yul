// What the step needs is missing here, so it leaves the program alone.
//! run: yul-opt --steps ohm
{
    let a := mload(0)
    mstore(0, 2)
    sstore(a, a)
}
// ---- yul-opt --steps ohm
// {
//     let a := mload(0)
//     mstore(0, 2)
//     sstore(a, a)
// }
