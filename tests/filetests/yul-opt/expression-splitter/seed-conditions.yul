// Conditions of `if` and `switch` are split, those of loops only once they are in the body. No call is nested
// in another afterwards.
// Shows S002-69, S002-71, S002-72.
//! run: yul-opt --steps ox
//! run: yul-opt --steps oIx
{
    if iszero(lt(calldatasize(), 4)) { sstore(0, add(mload(1), 1)) }
    switch shr(224, calldataload(0)) case 1 { sstore(1, 1) }
    for { } lt(mload(0), 9) { } { mstore(0, f(mload(0), 1)) }
    function f(a, b) -> r { r := add(mul(a, 2), b) }
}
// ---- yul-opt --steps ox
// {
//     let _1 := 4
//     let _2 := calldatasize()
//     let _3 := lt(_2, _1)
//     let _4 := iszero(_3)
//     if _4
//     {
//         let _5 := 1
//         let _6 := 1
//         let _7 := mload(_6)
//         let _8 := add(_7, _5)
//         let _9 := 0
//         sstore(_9, _8)
//     }
//     let _10 := 0
//     let _11 := calldataload(_10)
//     let _12 := 224
//     let _13 := shr(_12, _11)
//     switch _13
//     case 1 {
//         let _14 := 1
//         let _15 := 1
//         sstore(_15, _14)
//     }
//     for { } lt(mload(0), 9) { }
//     {
//         let _16 := 1
//         let _17 := 0
//         let _18 := mload(_17)
//         let _19 := f(_18, _16)
//         let _20 := 0
//         mstore(_20, _19)
//     }
//     function f(a, b) -> r
//     {
//         let _21 := 2
//         let _22 := mul(a, _21)
//         r := add(_22, b)
//     }
// }
// ---- yul-opt --steps oIx
// {
//     let _1 := 4
//     let _2 := calldatasize()
//     let _3 := lt(_2, _1)
//     let _4 := iszero(_3)
//     if _4
//     {
//         let _5 := 1
//         let _6 := 1
//         let _7 := mload(_6)
//         let _8 := add(_7, _5)
//         let _9 := 0
//         sstore(_9, _8)
//     }
//     let _10 := 0
//     let _11 := calldataload(_10)
//     let _12 := 224
//     let _13 := shr(_12, _11)
//     switch _13
//     case 1 {
//         let _14 := 1
//         let _15 := 1
//         sstore(_15, _14)
//     }
//     for { } true { }
//     {
//         let _16 := 9
//         let _17 := 0
//         let _18 := mload(_17)
//         let _19 := lt(_18, _16)
//         let _20 := iszero(_19)
//         if _20 { break }
//         let _21 := 1
//         let _22 := 0
//         let _23 := mload(_22)
//         let _24 := f(_23, _21)
//         let _25 := 0
//         mstore(_25, _24)
//     }
//     function f(a, b) -> r
//     {
//         let _26 := 2
//         let _27 := mul(a, _26)
//         r := add(_27, b)
//     }
// }
