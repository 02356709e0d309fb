// What the step needs is missing here, so it leaves the program alone.
// Shows S002-06, S002-106.
//! run: yul-opt --steps ohc
{
    let a := mload(0)
    mstore(0, 1)
    let b := mload(0)
    sstore(a, b)
}
// ---- yul-opt --steps ohc
// {
//     let a := mload(0)
//     mstore(0, 1)
//     let b := mload(0)
//     sstore(a, b)
// }
