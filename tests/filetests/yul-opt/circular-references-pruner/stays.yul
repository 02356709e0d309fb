// What the step needs is missing here, so it leaves the program alone.
//! run: yul-opt --steps hgl
{
    f()
    function f()
    { g() }
    function g()
    { f() }
}
// ---- yul-opt --steps hgl
// {
//     { f() }
//     function f()
//     { g() }
//     function g()
//     { f() }
// }
