// The step changes this program.
// Shows S002-13.
//! run: yul-opt --steps e
{
    sstore(0, f(calldatasize()))
    function f(a) -> x
    { x := add(a, a) }
}
// ---- yul-opt --steps e
// {
//     sstore(0, add(calldatasize(), calldatasize()))
//     function f(a) -> x
//     { x := add(a, a) }
// }
