// What the step needs is missing here, so it leaves the program alone.
// Shows S002-32, S002-101, S002-159.
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
