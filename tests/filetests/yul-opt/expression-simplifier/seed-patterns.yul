// Patterns match through variables; `X - X` only where both are one variable, so that what has effects is
// evaluated as often as before.
// Shows S002-35, S002-112, S002-113, S002-114, S002-115.
//! run: yul-opt --steps ohs
{
    let x := calldataload(0)
    let y := add(x, 0)
    sstore(0, sub(add(x, 5), 5))
    let s := add(x, 7)
    let t := sub(s, 7)
    sstore(1, t)
    sstore(2, sub(y, y))
    sstore(3, sub(f(), f()))
    let g := f()
    sstore(4, sub(g, g))
    function f() -> r { r := mload(0) mstore(0, add(r, 1)) }
}
// ---- yul-opt --steps ohs
// {
//     let x := calldataload(0)
//     let y := x
//     sstore(0, sub(add(x, 5), 5))
//     let s := add(x, 7)
//     let t := x
//     sstore(1, t)
//     sstore(2, 0)
//     sstore(3, sub(f(), f()))
//     let g := f()
//     sstore(4, 0)
//     function f() -> r
//     {
//         r := mload(0)
//         mstore(0, add(r, 1))
//     }
// }
