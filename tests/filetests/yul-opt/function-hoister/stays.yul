// What the step needs is missing here, so it leaves the program alone.
// Shows S002-21.
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
