// What the step needs is missing here, so it leaves the program alone.
// Shows S002-20.
//! run: yul-opt --steps g
{
    {
        sstore(0, 1)
        f()
    }
    function f()
    { }
}
// ---- yul-opt --steps g
// {
//     {
//         sstore(0, 1)
//         f()
//     }
//     function f()
//     { }
// }
