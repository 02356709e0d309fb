// The step changes this program.
// Shows S002-142.
//! run: yul-opt --steps hF
{
    f(1, calldatasize())
    f(2, calldatasize())
    function f(a, b)
    {
        sstore(a, b)
        mstore(a, b)
    }
}
// ---- yul-opt --steps hF
// {
//     f_1(calldatasize())
//     f_2(calldatasize())
//     function f_1(b_3)
//     {
//         let a_4 := 1
//         sstore(a_4, b_3)
//         mstore(a_4, b_3)
//     }
//     function f_2(b_5)
//     {
//         let a_6 := 2
//         sstore(a_6, b_5)
//         mstore(a_6, b_5)
//     }
//     function f(a, b)
//     {
//         sstore(a, b)
//         mstore(a, b)
//     }
// }
