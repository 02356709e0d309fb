// A variable declared in a loop is another one in each round, so no store covers that of the round before.
//! run: yul-opt --steps oxaS
{
    for { let i := 0 } lt(i, 2) { i := add(i, 1) } {
        let k := calldataload(i)
        sstore(k, i)
    }
}
// ---- yul-opt --steps oxaS
// {
//     let i_2 := 0
//     let i := i_2
//     for { }
//     lt(i, 2)
//     {
//         let i_5 := i
//         let _1 := 1
//         let i_3 := add(i_5, _1)
//         i := i_3
//     }
//     {
//         let i_4 := i
//         let k := calldataload(i_4)
//         sstore(k, i_4)
//     }
// }
