// A call of a function is never moved, whatever the function does.
//! run: yul-opt --steps e
{
    function double(a) -> x { x := add(a, a) }
    function id(a) -> x { x := a }
    function reads(a) -> x { if a { x := calldataload(a) } }
    sstore(0, id(reads(1)))
    sstore(1, id(double(2)))
}
// ---- yul-opt --steps e
// {
//     function double(a) -> x
//     { x := add(a, a) }
//     function id(a_1) -> x_2
//     { x_2 := a_1 }
//     function reads(a_3) -> x_4
//     {
//         if a_3 { x_4 := calldataload(a_3) }
//     }
//     sstore(0, id(reads(1)))
//     sstore(1, add(2, 2))
// }
