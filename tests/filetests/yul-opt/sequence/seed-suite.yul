// The whole suite gives shorter code: what the program computes twice and functions it does not need are gone,
// split expressions are joined again and names are short.
// Shows S002-48, S002-67, S002-143.
//! run: yul-opt
//! run: yul-opt --suite :
{
    let a := calldataload(0)
    let unused := mul(a, 17)
    { let b := calldataload(0) sstore(f(a, 1), f(b, 1)) }
    function f(x, y) -> r { switch y case 1 { r := add(x, 2) } default { r := g(x) } }
    function g(x) -> r { r := mload(x) }
}
// ---- yul-opt
// {
//     {
//         let r := add(calldataload(0), 2)
//         sstore(r, r)
//     }
// }
// ---- yul-opt --suite :
// {
//     {
//         let a := calldataload(0)
//         let unused := mul(a, 17)
//         let b := calldataload(0)
//         sstore(f(a, 1), f(b, 1))
//     }
//     function f(x, y) -> r
//     {
//         switch y
//         case 1 { r := add(x, 2) }
//         default { r := g(x) }
//     }
//     function g(x) -> r
//     { r := mload(x) }
// }
