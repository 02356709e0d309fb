// The step changes this program.
// Shows S002-01, S002-19, S002-73, S002-136.
//! run: yul-opt --steps hgxi
{
    sstore(0, f(calldataload(0)))
    function f(a) -> x
    {
        x := mul(a, a)
        mstore(0, x)
    }
}
// ---- yul-opt --steps hgxi
// {
//     {
//         let _1 := 0
//         let _2 := calldataload(_1)
//         let a_6 := _2
//         let x_7 := 0
//         x_7 := mul(a_6, a_6)
//         let _5_8 := 0
//         mstore(_5_8, x_7)
//         let _3 := x_7
//         let _4 := 0
//         sstore(_4, _3)
//     }
//     function f(a) -> x
//     {
//         x := mul(a, a)
//         let _5 := 0
//         mstore(_5, x)
//     }
// }
