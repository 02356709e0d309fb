// The example of the splitter: the order of calls stays; the number gets a variable as well.
// Shows S002-68, S002-70.
//! run: yul-opt --steps x
{
    let x := calldataload(0)
    let y := calldataload(1)
    let z := add(mload(x), mul(mload(y), 0x20))
    sstore(0, z)
}
// ---- yul-opt --steps x
// {
//     let _1 := 0
//     let x := calldataload(_1)
//     let _2 := 1
//     let y := calldataload(_2)
//     let _3 := 0x20
//     let _4 := mload(y)
//     let _5 := mul(_4, _3)
//     let _6 := mload(x)
//     let z := add(_6, _5)
//     let _7 := 0
//     sstore(_7, z)
// }
