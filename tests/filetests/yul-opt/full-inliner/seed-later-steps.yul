// Inlining a constant pays by what later steps make of it: here a branch is decided.
// Shows S002-137.
//! run: yul-opt
{
    f(calldataload(0), 1)
    f(calldataload(1), 0)
    function f(a, b) {
        switch b case 1 { sstore(a, 1) } default { sstore(a, 2) }
    }
}
// ---- yul-opt
// {
//     {
//         sstore(calldataload(0), 1)
//         sstore(calldataload(1), 2)
//     }
// }
