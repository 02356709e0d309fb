// The initialization moves to before the loop; the block around both goes with the other blocks.
// Shows S002-62, S002-63.
//! run: yul-opt --steps o
{
    for { let i := 0 let n := calldatasize() } lt(i, n) { i := add(i, 1) } {
        for { let j := i } j { j := sub(j, 1) } { sstore(i, j) }
    }
}
// ---- yul-opt --steps o
// {
//     let i := 0
//     let n := calldatasize()
//     for { } lt(i, n) { i := add(i, 1) }
//     {
//         let j := i
//         for { } j { j := sub(j, 1) }
//         { sstore(i, j) }
//     }
// }
