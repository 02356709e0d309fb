// A colon within braces belongs to the argument of a step and does not begin the clean-up.
//! run: yul-opt --suite {NameDisplacer:a,b}u
//! run: yul-opt --suite {NameDisplacer:a,b}u:{NameDisplacer:c}
{
    let a := calldataload(0)
    let b := calldataload(a)
    let c := 1
    sstore(b, c)
}
// ---- yul-opt --suite {NameDisplacer:a,b}u
// {
//     {
//         sstore(calldataload(calldataload(0)), 1)
//     }
// }
// ---- yul-opt --suite {NameDisplacer:a,b}u:{NameDisplacer:c}
// {
//     {
//         let a_1 := calldataload(0)
//         let b_1 := calldataload(a_1)
//         let c_1 := 1
//         sstore(b_1, c_1)
//     }
// }
