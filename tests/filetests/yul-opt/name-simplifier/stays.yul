// What the step needs is missing here, so it leaves the program alone.
//! run: yul-opt --steps {NameSimplifier}
{
    let expr_1_a := calldataload(0)
    let expr_a := calldataload(1)
    sstore(expr_1_a, expr_a)
}
// ---- yul-opt --steps {NameSimplifier}
// {
//     let expr_1_a := calldataload(0)
//     let expr_a := calldataload(1)
//     sstore(expr_1_a, expr_a)
// }
