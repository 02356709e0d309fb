// What the step needs is missing here, so it leaves the program alone.
//! run: yul-opt --steps h
{
    f()
    function f()
    { sstore(1, 1) }
}
// ---- yul-opt --steps h
// {
//     f()
//     function f()
//     { sstore(1, 1) }
// }
