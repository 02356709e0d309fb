// The normal form `{ I F... }`: one block without functions, then functions without functions.
// A program without statements has an empty block.
// Shows S002-57, S002-58, S002-59.
//! run: yul-opt --steps hg
object "a" {
    code {
        sstore(0, f(1))
        { function h(a) -> r { function g(b) -> s { s := add(b, 1) } r := g(a) } sstore(1, h(2)) }
        function f(a) -> r { r := mul(a, 3) }
        sstore(2, 2)
    }
    object "b" { code { function f() { stop() } } }
}
// ---- yul-opt --steps hg
// object "a" {
//     code {
//         {
//             sstore(0, f(1))
//             { sstore(1, h(2)) }
//             sstore(2, 2)
//         }
//         function g(b) -> s
//         { s := add(b, 1) }
//         function h(a) -> r
//         { r := g(a) }
//         function f(a_1) -> r_2
//         { r_2 := mul(a_1, 3) }
//     }
//     object "b" {
//         code {
//             { }
//             function f()
//             { stop() }
//         }
//     }
// }
