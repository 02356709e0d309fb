// A function that is called once and a tiny one are inlined; one that calls itself, and one that is called often
// and is neither tiny nor gets a constant, are not.
// Shows S002-139, S002-140.
//! run: yul-opt --steps hg{FullInliner}
{
    let x := calldataload(0)
    let y := add(x, 1)
    once(x)
    tiny(x)
    tiny(y)
    large(x)
    large(y)
    again(x)
    function once(a) { sstore(a, 1) sstore(a, 2) sstore(a, 3) sstore(a, 4) sstore(a, 5) sstore(a, 6) sstore(a, 7) }
    function tiny(a) { sstore(a, a) }
    function large(a) {
        sstore(a, 11) sstore(a, 12) sstore(a, 13) sstore(a, 14)
        if a { sstore(a, 15) }
    }
    function again(a) { again(a) }
}
// ---- yul-opt --steps hg{FullInliner}
// {
//     {
//         let x := calldataload(0)
//         let y := add(x, 1)
//         let a_4 := x
//         sstore(a_4, 1)
//         sstore(a_4, 2)
//         sstore(a_4, 3)
//         sstore(a_4, 4)
//         sstore(a_4, 5)
//         sstore(a_4, 6)
//         sstore(a_4, 7)
//         let a_1_1 := x
//         sstore(a_1_1, a_1_1)
//         let a_1_2 := y
//         sstore(a_1_2, a_1_2)
//         large(x)
//         large(y)
//         again(x)
//     }
//     function once(a)
//     {
//         sstore(a, 1)
//         sstore(a, 2)
//         sstore(a, 3)
//         sstore(a, 4)
//         sstore(a, 5)
//         sstore(a, 6)
//         sstore(a, 7)
//     }
//     function tiny(a_1)
//     { sstore(a_1, a_1) }
//     function large(a_2)
//     {
//         sstore(a_2, 11)
//         sstore(a_2, 12)
//         sstore(a_2, 13)
//         sstore(a_2, 14)
//         if a_2 { sstore(a_2, 15) }
//     }
//     function again(a_3)
//     { again(a_3) }
// }
