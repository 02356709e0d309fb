// Functions that leave early or call themselves stay, and so do calls whose arguments are calls.
// Shows S002-19.
//! run: yul-opt --steps hg{FullInliner}
{
    function leaves(a) { if a { leave } sstore(a, 1) }
    function recurses(a) { recurses(a) }
    function plain(a) { sstore(a, 2) }
    let x := calldataload(0)
    leaves(x)
    recurses(x)
    plain(mload(x))
}
// ---- yul-opt --steps hg{FullInliner}
// {
//     {
//         let x := calldataload(0)
//         leaves(x)
//         recurses(x)
//         plain(mload(x))
//     }
//     function leaves(a)
//     {
//         if a { leave }
//         sstore(a, 1)
//     }
//     function recurses(a_1)
//     { recurses(a_1) }
//     function plain(a_2)
//     { sstore(a_2, 2) }
// }
