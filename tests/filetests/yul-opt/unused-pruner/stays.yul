// What the step needs is missing here, so it leaves the program alone.
// Shows S002-44.
//! run: yul-opt --steps u
{
    let a := add(1, 2)
    sstore(a, f())
    function f() -> x
    { x := 1 }
}
// ---- yul-opt --steps u
// {
//     {
//         let a := add(1, 2)
//         sstore(a, f())
//     }
//     function f() -> x
//     { x := 1 }
// }
