// The step changes this program.
//! run: yul-opt --steps ohTp
{
    f(1, 2)
    f(3, 4)
    function f(a, b)
    {
        sstore(a, 1)
        mstore(a, 2)
    }
}
// ---- yul-opt --steps ohTp
// {
//     f_1(1, 2)
//     f_1(3, 4)
//     function f(a)
//     {
//         sstore(a, 1)
//         mstore(a, 2)
//     }
//     function f_1(a_2, b_3)
//     { f(a_2) }
// }
