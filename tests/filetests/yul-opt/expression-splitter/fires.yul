// The step changes this program.
// Shows S002-16.
//! run: yul-opt --steps x
{ sstore(0, add(mload(1), 2)) }
// ---- yul-opt --steps x
// {
//     let _1 := 2
//     let _2 := 1
//     let _3 := mload(_2)
//     let _4 := add(_3, _1)
//     let _5 := 0
//     sstore(_5, _4)
// }
