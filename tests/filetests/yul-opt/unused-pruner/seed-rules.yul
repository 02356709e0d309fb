// Functions that nothing calls and variables that nothing reads go; of a value that is not movable the expression
// stays, its value dropped; movable expressions as statements go.
// Shows S002-34, S002-116, S002-117, S002-118, S002-119.
//! run: yul-opt --steps u
{
    let a := calldataload(0)
    let b := f(1)
    pop(add(1, 2))
    pop(g(3))
    let c := 7
    sstore(0, 1)
    function f(x) -> r { r := x sstore(1, x) }
    function g(x) -> r { r := x }
    function h() { h2() }
    function h2() { sstore(2, 2) }
}
// ---- yul-opt --steps u
// {
//     {
//         pop(f(1))
//         sstore(0, 1)
//     }
//     function f(x) -> r
//     {
//         r := x
//         sstore(1, x)
//     }
// }
