// Of several variables that hold zero, which one is used depends on their names, not on their order.
//! run: yul-opt --steps c
{
    let a
    let b
    let c := 0
    let d
    sstore(c, d)
}
// ---- yul-opt --steps c
// {
//     let a
//     let b
//     let c := b
//     let d
//     sstore(b, d)
// }
