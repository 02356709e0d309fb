// Functions that differ in a literal, in an order or in what they call are not the same.
// Shows S002-11, S002-12, S002-43, S002-53, S002-129.
//! run: yul-opt --steps h{EquivalentFunctionCombiner}
{
    function f(a, b) -> r { r := sub(a, b) }
    function g(a, b) -> r { r := sub(b, a) }
    function h(a, b) -> r { r := sub(a, 1) }
    function i(a, b) -> r { r := f(a, b) }
    function j(a, b) -> r { r := g(a, b) }
    sstore(f(1, 2), add(g(3, 4), add(h(5, 6), add(i(7, 8), j(9, 10)))))
}
// ---- yul-opt --steps h{EquivalentFunctionCombiner}
// {
//     sstore(f(1, 2), add(g(3, 4), add(h(5, 6), add(i(7, 8), j(9, 10)))))
//     function f(a, b) -> r
//     { r := sub(a, b) }
//     function g(a_1, b_2) -> r_3
//     { r_3 := sub(b_2, a_1) }
//     function h(a_4, b_5) -> r_6
//     { r_6 := sub(a_4, 1) }
//     function i(a_7, b_8) -> r_9
//     { r_9 := f(a_7, b_8) }
//     function j(a_10, b_11) -> r_12
//     { r_12 := g(a_10, b_11) }
// }
