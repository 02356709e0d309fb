// The step changes this program.
// Shows S002-21.
//! run: yul-opt --steps h
{
    sstore(0, 1)
    {
        function f()
        { sstore(1, 1) }
        f()
    }
}
// ---- yul-opt --steps h
// {
//     sstore(0, 1)
//     { f() }
//     function f()
//     { sstore(1, 1) }
// }
