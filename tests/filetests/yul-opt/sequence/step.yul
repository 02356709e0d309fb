// One step by its name.
//! run: yul-opt --step full-inliner
{
    let a := calldataload(0)
    f(a)
    function f(x) { sstore(x, 1) }
}
// ---- yul-opt --step full-inliner
// {
//     {
//         let a := calldataload(0)
//         let x_1 := a
//         sstore(x_1, 1)
//     }
//     function f(x)
//     { sstore(x, 1) }
// }
