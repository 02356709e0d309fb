// An assignment before `break` counts for the code after the loop.
// Shows S002-89.
//! run: yul-opt --steps or
{
    let x := 1
    for { } calldataload(0) { } {
        x := 2
        if callvalue() { x := 3 break }
        x := 4
    }
    sstore(0, x)
}
// ---- yul-opt --steps or
// {
//     let x := 1
//     for { } calldataload(0) { }
//     {
//         if callvalue()
//         {
//             x := 3
//             break
//         }
//         x := 4
//     }
//     sstore(0, x)
// }
