// The step changes this program.
// Shows S002-20.
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
