// The step changes this program.
// Shows S002-44.
//! run: yul-opt --steps u
{
    let a := add(1, 2)
    let b := call(0, 0, 0, 0, 0, 0, 0)
    function f()
    { }
}
// ---- yul-opt --steps u
// {
//     {
//         pop(call(0, 0, 0, 0, 0, 0, 0))
//     }
// }
