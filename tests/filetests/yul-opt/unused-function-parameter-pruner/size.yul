// What counts is one statement of at most one operation: `short` stays, the others are taken apart.
//! run: yul-opt --steps p
{
    short(1, 2)
    pop(sum(1, 2))
    two(1, 2)
    function short(a, b) { revert(0, 0) }
    function sum(a, b) -> x { x := add(a, 1) }
    function two(a, b) { a := a revert(0, 0) }
}
// ---- yul-opt --steps p
// {
//     short(1, 2)
//     pop(sum_1(1, 2))
//     two_2(1, 2)
//     function short(a, b)
//     { revert(0, 0) }
//     function sum(a_1) -> x
//     { x := add(a_1, 1) }
//     function sum_1(a_1_3, b_2_4) -> x_5
//     { x_5 := sum(a_1_3) }
//     function two(a_3)
//     {
//         a_3 := a_3
//         revert(0, 0)
//     }
//     function two_2(a_3_6, b_4_7)
//     { two(a_3_6) }
// }
