// The step changes this program.
// Shows S002-11.
//! run: yul-opt --steps ohv
{
    f()
    g()
    function f()
    { sstore(0, 1) }
    function g()
    { sstore(0, 1) }
}
// ---- yul-opt --steps ohv
// {
//     f()
//     f()
//     function f()
//     { sstore(0, 1) }
//     function g()
//     { sstore(0, 1) }
// }
