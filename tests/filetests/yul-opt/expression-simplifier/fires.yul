// The step changes this program.
// Shows S002-15, S002-73, S002-111.
//! run: yul-opt --steps ohxs
{
    let x := calldataload(0)
    sstore(0, add(mul(x, 1), 0))
}
// ---- yul-opt --steps ohxs
// {
//     let _1 := 0
//     let x := calldataload(_1)
//     let _2 := 0
//     let _3 := 1
//     let _4 := x
//     let _5 := _4
//     let _6 := 0
//     sstore(_6, _5)
// }
