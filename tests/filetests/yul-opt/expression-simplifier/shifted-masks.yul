// Two words that are shifted alike are masked first; other operations than `and` stay, and so do other shifts.
//! run: yul-opt --steps s
{
    let x := calldataload(0)
    let y := calldataload(32)
    let z := calldataload(64)
    let a := shl(z, x)
    let b := shl(z, y)
    let c := shl(x, y)
    sstore(0, and(a, b))
    sstore(1, or(a, b))
    sstore(2, and(a, c))
}
// ---- yul-opt --steps s
// {
//     let x := calldataload(0)
//     let y := calldataload(32)
//     let z := calldataload(64)
//     let a := shl(z, x)
//     let b := shl(z, y)
//     let c := shl(x, y)
//     sstore(0, shl(z, and(x, y)))
//     sstore(1, or(a, b))
//     sstore(2, and(a, c))
// }
