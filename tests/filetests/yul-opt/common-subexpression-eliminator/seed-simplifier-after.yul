// Run right before it, the eliminator shows the simplifier two operands that are one.
// Shows S002-109, S002-110.
//! run: yul-opt --steps ohxs{ExpressionJoiner}u
//! run: yul-opt --steps ohxcs{ExpressionJoiner}u
{
    let x := calldataload(0)
    sstore(0, sub(mload(x), mload(x)))
    let a := mul(x, 3)
    let b := mul(x, 3)
    sstore(1, sub(a, b))
}
// ---- yul-opt --steps ohxs{ExpressionJoiner}u
// {
//     {
//         let x := calldataload(0)
//         sstore(0, sub(mload(x), mload(x)))
//         let a := mul(x, 3)
//         sstore(1, sub(a, mul(x, 3)))
//     }
// }
// ---- yul-opt --steps ohxcs{ExpressionJoiner}u
// {
//     {
//         let _1 := 0
//         let x := calldataload(_1)
//         let _4 := sub(mload(x), mload(x))
//         sstore(_1, _4)
//         sstore(1, 0)
//     }
// }
