// A jump takes variables along whose block it leaves: a read in the next round counts, past the declaration.
//! run: yul-opt --steps r
{
    for { } calldataload(0) { }
    {
        let a
        if calldataload(1) { a := 2 continue }
        sstore(a, 1)
    }
    for { } calldataload(0) { }
    {
        let b
        if calldataload(1) { b := 2 break }
        sstore(b, 1)
    }
}
// ---- yul-opt --steps r
// {
//     for { } calldataload(0) { }
//     {
//         let a
//         if calldataload(1)
//         {
//             a := 2
//             continue
//         }
//         sstore(a, 1)
//     }
//     for { } calldataload(0) { }
//     {
//         let b
//         if calldataload(1) { break }
//         sstore(b, 1)
//     }
// }
