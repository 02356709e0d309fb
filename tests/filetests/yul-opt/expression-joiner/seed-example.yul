// The examples of the joiner: over an opcode nothing moves, over a literal it does. A variable that is read twice, and
// an assignment, stay.
// Shows S002-145, S002-146, S002-147, S002-148.
//! run: yul-opt --steps {ExpressionJoiner}
{
    function kept() {
        let x := add(0, 2)
        let y := mul(x, mload(2))
        sstore(y, y)
    }
    function joined() {
        let x := add(0, 2)
        let y := mul(x, 3)
        sstore(y, y)
    }
    function assigned(x) {
        x := add(0, 2)
        let y := mul(x, 3)
        sstore(y, y)
    }
}
// ---- yul-opt --steps {ExpressionJoiner}
// {
//     { }
//     function kept()
//     {
//         let x := add(0, 2)
//         let y := mul(x, mload(2))
//         sstore(y, y)
//     }
//     function joined()
//     {
//         let y_2 := mul(add(0, 2), 3)
//         sstore(y_2, y_2)
//     }
//     function assigned(x_3)
//     {
//         x_3 := add(0, 2)
//         let y_4 := mul(x_3, 3)
//         sstore(y_4, y_4)
//     }
// }
