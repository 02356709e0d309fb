// A value that is cheap, or of a variable that is used once, replaces it as long as it is the same; what was
// assigned in between keeps its variable. The pruner then removes the declaration.
// Shows S002-102, S002-155, S002-157, S002-158.
//! run: yul-opt --steps ohm
//! run: yul-opt --steps ohmu
{
    let a := caller()
    sstore(a, a)
    let x := calldataload(0)
    let b := add(x, 1)
    x := 2
    sstore(b, x)
    let y := calldataload(1)
    let c := not(y)
    sstore(c, y)
}
// ---- yul-opt --steps ohm
// {
//     let a := caller()
//     sstore(caller(), caller())
//     let x := calldataload(0)
//     let b := add(x, 1)
//     x := 2
//     sstore(b, 2)
//     let y := calldataload(1)
//     let c := not(y)
//     sstore(not(y), y)
// }
// ---- yul-opt --steps ohmu
// {
//     {
//         sstore(caller(), caller())
//         let x := calldataload(0)
//         let b := add(x, 1)
//         x := 2
//         sstore(b, 2)
//         let y := calldataload(1)
//         sstore(not(y), y)
//     }
// }
