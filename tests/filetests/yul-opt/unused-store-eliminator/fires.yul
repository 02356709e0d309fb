// The step changes this program.
// Shows S002-38.
//! run: yul-opt --steps oxaSVj
{
    let k := calldataload(0)
    sstore(k, 1)
    sstore(k, 2)
}
// ---- yul-opt --steps oxaSVj
// {
//     {
//         let k := calldataload(0)
//         let _2 := 1
//         sstore(k, 2)
//     }
// }
