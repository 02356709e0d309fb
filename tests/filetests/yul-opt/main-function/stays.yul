// What the step needs is missing here, so it leaves the program alone.
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
