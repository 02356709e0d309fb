// The step changes this program.
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
