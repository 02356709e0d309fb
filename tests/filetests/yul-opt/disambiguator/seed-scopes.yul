// Every name is unique afterwards, whatever scope it had: shadows of functions in functions too. What steps
// make later is new as well.
// Shows S002-28, S002-52, S002-54.
//! run: yul-opt --steps {Disambiguator}
//! run: yul-opt --steps {Disambiguator}ox
{
    function f(a) -> r { function g(b) -> s { s := mload(b) } r := g(a) }
    function h(a) -> r { function g(b) -> s { s := sload(b) } r := g(a) }
    { let _1 := f(1) sstore(0, add(_1, h(2))) }
}
// ---- yul-opt --steps {Disambiguator}
// {
//     function f(a) -> r
//     {
//         function g(b) -> s
//         { s := mload(b) }
//         r := g(a)
//     }
//     function h(a_1) -> r_2
//     {
//         function g_3(b_4) -> s_5
//         { s_5 := sload(b_4) }
//         r_2 := g_3(a_1)
//     }
//     {
//         let _1 := f(1)
//         sstore(0, add(_1, h(2)))
//     }
// }
// ---- yul-opt --steps {Disambiguator}ox
// {
//     function f(a) -> r
//     {
//         function g(b) -> s
//         { s := mload(b) }
//         r := g(a)
//     }
//     function h(a_1) -> r_2
//     {
//         function g_3(b_4) -> s_5
//         { s_5 := sload(b_4) }
//         r_2 := g_3(a_1)
//     }
//     {
//         let _2 := 1
//         let _1 := f(_2)
//         let _3 := 2
//         let _4 := h(_3)
//         let _5 := add(_1, _4)
//         let _6 := 0
//         sstore(_6, _5)
//     }
// }
