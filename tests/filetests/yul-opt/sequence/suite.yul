// The suite without options.
// Shows S002-42.
//! run: yul-opt 
{
    function f(a) -> x { x := add(a, a) }
    mstore(0, 1)
    sstore(0, f(f(calldataload(0))))
    if 0 { sstore(1, 1) }
}
// ---- yul-opt
// {
//     {
//         let _1 := calldataload(0)
//         let x := add(_1, _1)
//         sstore(0, add(x, x))
//     }
// }
