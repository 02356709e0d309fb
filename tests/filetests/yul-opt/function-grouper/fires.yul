// The step changes this program.
//! run: yul-opt --steps g
{
    sstore(0, 1)
    function f()
    { }
    sstore(1, 2)
    f()
}
// ---- yul-opt --steps g
// {
//     {
//         sstore(0, 1)
//         sstore(1, 2)
//         f()
//     }
//     function f()
//     { }
// }
