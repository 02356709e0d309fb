// Functions that differ in names only are called as one; another order is another function. The pruner removes
// what is left.
// Shows S002-04, S002-128, S002-129, S002-130.
//! run: yul-opt --steps hv
//! run: yul-opt --steps hvu
{
    sstore(f(1, 2), add(g(3, 4), h(5, 6)))
    function f(a, b) -> r { let c := mload(a) mstore(b, c) r := sub(c, b) }
    function g(x, y) -> s { let z := mload(x) mstore(y, z) s := sub(z, y) }
    function h(a, b) -> r { let c := mload(a) r := sub(c, b) mstore(b, c) }
}
// ---- yul-opt --steps hv
// {
//     sstore(f(1, 2), add(f(3, 4), h(5, 6)))
//     function f(a, b) -> r
//     {
//         let c := mload(a)
//         mstore(b, c)
//         r := sub(c, b)
//     }
//     function g(x, y) -> s
//     {
//         let z := mload(x)
//         mstore(y, z)
//         s := sub(z, y)
//     }
//     function h(a_1, b_2) -> r_3
//     {
//         let c_4 := mload(a_1)
//         r_3 := sub(c_4, b_2)
//         mstore(b_2, c_4)
//     }
// }
// ---- yul-opt --steps hvu
// {
//     {
//         sstore(f(1, 2), add(f(3, 4), h(5, 6)))
//     }
//     function f(a, b) -> r
//     {
//         let c := mload(a)
//         mstore(b, c)
//         r := sub(c, b)
//     }
//     function h(a_1, b_2) -> r_3
//     {
//         let c_4 := mload(a_1)
//         r_3 := sub(c_4, b_2)
//         mstore(b_2, c_4)
//     }
// }
