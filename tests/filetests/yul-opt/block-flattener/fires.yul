// The step changes this program.
//! run: yul-opt --steps gf
{
    let x := 2
    {
        let y := 3
        mstore(x, y)
    }
}
// ---- yul-opt --steps gf
// {
//     {
//         let x := 2
//         let y := 3
//         mstore(x, y)
//     }
// }
