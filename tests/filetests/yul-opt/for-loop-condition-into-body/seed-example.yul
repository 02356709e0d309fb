// The condition of a loop moves into its body, so that the splitter reaches it.
// Shows S002-60, S002-61.
//! run: yul-opt --steps I
//! run: yul-opt --steps oIx
{
    for { let i := 0 } lt(i, calldatasize()) { i := add(i, 32) } {
        sstore(i, calldataload(i))
    }
}
// ---- yul-opt --steps I
// {
//     for { let i := 0 } true { i := add(i, 32) }
//     {
//         if iszero(lt(i, calldatasize())) { break }
//         sstore(i, calldataload(i))
//     }
// }
// ---- yul-opt --steps oIx
// {
//     let i := 0
//     for { }
//     true
//     {
//         let _1 := 32
//         i := add(i, _1)
//     }
//     {
//         let _2 := calldatasize()
//         let _3 := lt(i, _2)
//         let _4 := iszero(_3)
//         if _4 { break }
//         let _5 := calldataload(i)
//         sstore(i, _5)
//     }
// }
