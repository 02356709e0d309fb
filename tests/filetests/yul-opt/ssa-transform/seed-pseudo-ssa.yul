// The example of pseudo-SSA: splitter, transform and removal of assignments together. What is left of `a` is a
// declaration that nobody reads, which the pruner takes.
// Shows S002-64, S002-65, S002-66, S002-84.
//! run: yul-opt --steps oxar
//! run: yul-opt --steps oxaru
{
    let a := calldataload(0)
    let b := calldataload(0x20)
    if gt(a, 0) {
        b := mul(b, 0x20)
    }
    a := add(a, 1)
    sstore(a, add(b, 0x20))
}
// ---- yul-opt --steps oxar
// {
//     let _1 := 0
//     let a_9 := calldataload(_1)
//     let a := a_9
//     let _2 := 0x20
//     let b_10 := calldataload(_2)
//     let b := b_10
//     let _3 := 0
//     let _4 := gt(a_9, _3)
//     if _4
//     {
//         let _5 := 0x20
//         let b_11 := mul(b_10, _5)
//         b := b_11
//     }
//     let b_13 := b
//     let _6 := 1
//     let a_12 := add(a_9, _6)
//     let _7 := 0x20
//     let _8 := add(b_13, _7)
//     sstore(a_12, _8)
// }
// ---- yul-opt --steps oxaru
// {
//     {
//         let _1 := 0
//         let a_9 := calldataload(_1)
//         let _2 := 0x20
//         let b_10 := calldataload(_2)
//         let b := b_10
//         let _3 := 0
//         let _4 := gt(a_9, _3)
//         if _4
//         {
//             let _5 := 0x20
//             let b_11 := mul(b_10, _5)
//             b := b_11
//         }
//         let b_13 := b
//         let _6 := 1
//         let a_12 := add(a_9, _6)
//         let _7 := 0x20
//         let _8 := add(b_13, _7)
//         sstore(a_12, _8)
//     }
// }
