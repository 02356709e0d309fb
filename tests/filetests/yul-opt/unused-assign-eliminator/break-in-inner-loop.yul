// What is declared in the outer loop only ends with its block, also for a jump out of the inner loop; what is
// declared in the inner one is taken along by the jump.
//! run: yul-opt --steps r
{
    for { } calldataload(0) { }
    {
        let a := 1
        for { } a { }
        {
            let b
            sstore(0, b)
            a := 2
            b := 3
            break
        }
    }
}
// ---- yul-opt --steps r
// {
//     for { } calldataload(0) { }
//     {
//         let a := 1
//         for { } a { }
//         {
//             let b
//             sstore(0, b)
//             b := 3
//             break
//         }
//     }
// }
