// The step changes this program.
// Shows S002-24.
//! run: yul-opt --steps gfohxcsL
{
    let v := calldataload(0)
    sstore(1, v)
    mstore(0, sload(1))
    return(0, 32)
}
// ---- yul-opt --steps gfohxcsL
// {
//     {
//         let _1 := 0
//         let v := calldataload(_1)
//         let _2 := 1
//         sstore(_2, v)
//         let _3 := _2
//         let _4 := v
//         let _5 := _1
//         mstore(_1, _4)
//         let _6 := 32
//         let _7 := _1
//         return(_1, _6)
//     }
// }
