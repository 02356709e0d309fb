// What the step needs is missing here, so it leaves the program alone.
// Shows S002-36.
//! run: yul-opt --steps V
{
    let a
    let a_1 := mload(0)
    mstore(a_1, 1)
    a := a_1
    sstore(0, a)
}
// ---- yul-opt --steps V
// {
//     let a
//     let a_1 := mload(0)
//     mstore(a_1, 1)
//     a := a_1
//     sstore(0, a)
// }
