// The example of redundant assignments: all three to `a` go, and strict SSA form is left.
// Shows S002-83, S002-85, S002-95.
//! run: yul-opt --steps oar
//! run: yul-opt --steps oaru
{
    let a := 1
    a := mload(a)
    a := sload(a)
    sstore(a, 1)
}
// ---- yul-opt --steps oar
// {
//     let a_1 := 1
//     let a := a_1
//     let a_2 := mload(a_1)
//     let a_3 := sload(a_2)
//     sstore(a_3, 1)
// }
// ---- yul-opt --steps oaru
// {
//     {
//         let a_1 := 1
//         let a_2 := mload(a_1)
//         let a_3 := sload(a_2)
//         sstore(a_3, 1)
//     }
// }
