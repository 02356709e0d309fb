// An expression that is the current value of a variable becomes that variable, and a variable whose value is a
// variable becomes that one. Not where what the value mentions was assigned to in between, at a join or in a loop.
// Shows S002-08, S002-27, S002-101, S002-102, S002-103, S002-104, S002-105, S002-107, S002-108.
//! run: yul-opt --steps ohc
//! run: yul-opt --steps ohcu
{
    let x := calldataload(0)
    let a := add(x, 1)
    sstore(0, add(x, 1))
    let b := a
    sstore(1, mul(b, 2))
    if a { x := 7 }
    sstore(2, add(x, 1))
    let c := add(x, 1)
    for { } lt(c, 9) { x := add(x, 2) } { sstore(3, add(x, 1)) }
}
// ---- yul-opt --steps ohc
// {
//     let x := calldataload(0)
//     let a := add(x, 1)
//     sstore(0, a)
//     let b := a
//     sstore(1, mul(a, 2))
//     if a { x := 7 }
//     sstore(2, add(x, 1))
//     let c := add(x, 1)
//     for { } lt(c, 9) { x := add(x, 2) }
//     { sstore(3, add(x, 1)) }
// }
// ---- yul-opt --steps ohcu
// {
//     {
//         let x := calldataload(0)
//         let a := add(x, 1)
//         sstore(0, a)
//         sstore(1, mul(a, 2))
//         if a { x := 7 }
//         sstore(2, add(x, 1))
//         let c := add(x, 1)
//         for { } lt(c, 9) { x := add(x, 2) }
//         { sstore(3, add(x, 1)) }
//     }
// }
