// Two loads with a store between them are not the same value, and a division may be one by zero.
// Shows S002-15, S002-114.
//! run: yul-opt --steps {ExpressionSimplifier}
{
    let a := mload(0)
    mstore(0, 1)
    let b := mload(0)
    sstore(sub(a, b), div(a, a))
}
// ---- yul-opt --steps {ExpressionSimplifier}
// {
//     let a := mload(0)
//     mstore(0, 1)
//     let b := mload(0)
//     sstore(sub(a, b), div(a, a))
// }
