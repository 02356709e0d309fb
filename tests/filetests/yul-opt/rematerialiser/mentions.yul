// In a loop, a value that is not free is evaluated again only if the variable is mentioned once; an assignment is
// a mention. The same values outside of loops are.
//! run: yul-opt --steps m
{
    let i := 160
    sstore(i, i)
    let j
    for { } calldataload(0) { sstore(j, 1) }
    {
        let k := 160
        sstore(k, k)
        let once := 160
        sstore(once, 1)
        j := 160
    }
}
// ---- yul-opt --steps m
// {
//     let i := 160
//     sstore(160, 160)
//     let j
//     for { } calldataload(0) { sstore(j, 1) }
//     {
//         let k := 160
//         sstore(k, k)
//         let once := 160
//         sstore(160, 1)
//         j := 160
//     }
// }
