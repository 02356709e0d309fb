// The example of the transform; the assignments stay.
// Shows S002-75, S002-77, S002-78.
//! run: yul-opt --steps oa
{
    let a := 1
    mstore(a, 2)
    a := 3
}
// ---- yul-opt --steps oa
// {
//     let a_1 := 1
//     let a := a_1
//     mstore(a_1, 2)
//     let a_2 := 3
//     a := a_2
// }
