// A program without statements of its own gets an empty main function.
// Shows S002-25.
//! run: yul-opt --steps hg{MainFunction}
{
    function f()
    { sstore(1, 1) }
}
// ---- yul-opt --steps hg{MainFunction}
// {
//     function main()
//     { }
//     function f()
//     { sstore(1, 1) }
// }
