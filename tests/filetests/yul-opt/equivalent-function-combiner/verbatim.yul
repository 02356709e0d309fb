// Functions that differ in the bytes of `verbatim` are not the same.
// Shows S002-12.
//! run: yul-opt --steps hv
{
    f() g()
    function f() { verbatim_0i_0o("a") }
    function g() { verbatim_0i_0o("b") }
}
// ---- yul-opt --steps hv
// {
//     f()
//     g()
//     function f()
//     { verbatim_0i_0o("a") }
//     function g()
//     { verbatim_0i_0o("b") }
// }
