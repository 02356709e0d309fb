// Calls as arguments keep their order: nothing is inlined over them.
//! run: yul-opt --steps hgi
{
    f(g(), h())
    function f(a, b) { sstore(a, b) }
    function g() -> x { sstore(0, 1) x := 1 }
    function h() -> y { sstore(0, 2) y := 2 }
}
// ---- yul-opt --steps hgi
// {
//     { f(g(), h()) }
//     function f(a, b)
//     { sstore(a, b) }
//     function g() -> x
//     {
//         sstore(0, 1)
//         x := 1
//     }
//     function h() -> y
//     {
//         sstore(0, 2)
//         y := 2
//     }
// }
