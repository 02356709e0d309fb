// The step changes this program.
// Shows S002-36, S002-149.
//! run: yul-opt --steps V
{
    let a
    let a_1 := mload(0)
    a := a_1
    mstore(a_1, 1)
    sstore(0, a)
}
// ---- yul-opt --steps V
// {
//     let a
//     a := mload(0)
//     let a_1 := a
//     mstore(a_1, 1)
//     sstore(0, a)
// }
