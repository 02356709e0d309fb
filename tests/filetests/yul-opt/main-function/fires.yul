// The step changes this program.
// Shows S002-25, S002-161.
//! run: yul-opt --steps hg{MainFunction}
{
    sstore(0, 1)
    function f()
    { sstore(1, 1) }
    f()
}
// ---- yul-opt --steps hg{MainFunction}
// {
//     function main()
//     {
//         sstore(0, 1)
//         f()
//     }
//     function f()
//     { sstore(1, 1) }
// }
