// What the step needs is missing here, so it leaves the program alone.
// Shows S002-13, S002-135.
//! run: yul-opt --steps e
{
    sstore(0, f(mload(0)))
    function f(a) -> x
    { x := add(a, a) }
}
// ---- yul-opt --steps e
// {
//     sstore(0, f(mload(0)))
//     function f(a) -> x
//     { x := add(a, a) }
// }
