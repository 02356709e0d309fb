// What the step needs is missing here, so it leaves the program alone.
// Shows S002-142.
//! run: yul-opt --steps hF
{
    f(calldatasize())
    f(calldataload(0))
    function f(a)
    {
        sstore(a, a)
        mstore(a, a)
    }
}
// ---- yul-opt --steps hF
// {
//     f(calldatasize())
//     f(calldataload(0))
//     function f(a)
//     {
//         sstore(a, a)
//         mstore(a, a)
//     }
// }
