// Variables, conditions of loops and literals that a builtin needs stay where they are.
// Shows S002-16, S002-61.
//! run: yul-opt --steps {ExpressionSplitter}
object "a" {
    code {
        let a := dataoffset("a")
        let b := datasize("a")
        for { } lt(a, 10) { } { sstore(a, b) }
    }
}
// ---- yul-opt --steps {ExpressionSplitter}
// object "a" {
//     code {
//         let a := dataoffset("a")
//         let b := datasize("a")
//         for { } lt(a, 10) { }
//         { sstore(a, b) }
//     }
// }
