// No run, one run and more runs of a loop: what only the next round reads is used, and what the next round
// overwrites before it reads is not.
// Shows S002-90, S002-91.
//! run: yul-opt --steps or
{
    let x
    let y
    let z
    x := 1
    for { } calldataload(x) { x := add(x, 1) z := 4 } {
        sstore(x, y)
        y := 2
        z := 3
    }
    x := 5
    sstore(0, z)
}
// ---- yul-opt --steps or
// {
//     let x
//     let y
//     let z
//     x := 1
//     for { }
//     calldataload(x)
//     {
//         x := add(x, 1)
//         z := 4
//     }
//     {
//         sstore(x, y)
//         y := 2
//     }
//     sstore(0, z)
// }
