// The example of the flattener; blocks in blocks and in functions as well, bodies of `if` stay.
// Shows S002-03, S002-131.
//! run: yul-opt --steps gf
{
    let x := 2
    {
        let y := 3
        mstore(x, y)
    }
    function f() { { { sstore(0, 1) } } if calldataload(0) { sstore(1, 1) } }
}
// ---- yul-opt --steps gf
// {
//     {
//         let x := 2
//         let y := 3
//         mstore(x, y)
//     }
//     function f()
//     {
//         sstore(0, 1)
//         if calldataload(0) { sstore(1, 1) }
//     }
// }
