// The step changes this program.
// Shows S002-05.
//! run: yul-opt --steps hgl
{
    sstore(0, 1)
    function f()
    { g() }
    function g()
    { f() }
}
// ---- yul-opt --steps hgl
// { { sstore(0, 1) } }
