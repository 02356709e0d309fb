// Joined shifts do not wrap around.
//! run: yul-opt --steps oxs
{
    let a := calldataload(0)
    sstore(0, shl(200, shl(100, a)))
    sstore(1, byte(31, shr(8, a)))
}
// ---- yul-opt --steps oxs
// {
//     let _1 := 0
//     let a := calldataload(_1)
//     let _2 := 100
//     let _3 := shl(_2, a)
//     let _4 := 200
//     let _5 := 0
//     let _6 := 0
//     sstore(_6, _5)
//     let _7 := 8
//     let _8 := shr(_7, a)
//     let _9 := 31
//     let _10 := and(_8, 255)
//     let _11 := 1
//     sstore(_11, _10)
// }
