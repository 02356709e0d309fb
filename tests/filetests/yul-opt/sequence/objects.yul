// Objects are optimized one by one.
// Shows S002-42.
//! run: yul-opt --steps u
object "a" {
    code { let x := 1 datacopy(0, dataoffset("a_deployed"), datasize("a_deployed")) }
    object "a_deployed" { code { let y := 2 stop() } }
}
// ---- yul-opt --steps u
// object "a" {
//     code {
//         {
//             datacopy(0, dataoffset("a_deployed"), datasize("a_deployed"))
//         }
//     }
//     object "a_deployed" {
//         code { { stop() } }
//     }
// }
