// What the step needs is missing here, so it leaves the program alone.
//! run: yul-opt --steps ohTp
{
    f(1, 2)
    f(3, 4)
    function f(a, b)
    { sstore(a, b) }
}
// ---- yul-opt --steps ohTp
// {
//     f(1, 2)
//     f(3, 4)
//     function f(a, b)
//     { sstore(a, b) }
// }
