// Pairs of statements do not overlap, and only what follows a declaration of the same variable goes.
//! run: yul-opt --steps V
{
    let a := 1
    a := a
    a := a
    let b := calldataload(0)
    let c := b
    c := c
    c := c
    sstore(a, c)
}
// ---- yul-opt --steps V
// {
//     let a := 1
//     a := a
//     let c := calldataload(0)
//     let b := c
//     c := c
//     c := c
//     sstore(a, c)
// }
