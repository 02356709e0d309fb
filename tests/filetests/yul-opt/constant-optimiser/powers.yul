// Without shifts a power of two is an EXP, priced by the fork; a factor stands before it, and no factor is
// no one.
//! run: yul-opt --steps {ConstantOptimiser} --evm-version byzantium
object "creation" {
    code {
        sstore(0, 0x1ffffffffffffffff)
        sstore(1, 0x8ffffffffffffffffffff7)
        sstore(2, 0x11fffffffffffffffffffee)
    }
    object "creation_deployed" {
        code {
            sstore(0, 0x1000000000000000000000000000000000000000000000000)
        }
    }
}
// ---- yul-opt --steps {ConstantOptimiser} --evm-version byzantium
// object "creation" {
//     code {
//         sstore(0, sub(exp(2, 65), 1))
//         sstore(1, 0x8ffffffffffffffffffff7)
//         sstore(2, sub(mul(9, exp(2, 85)), 18))
//     }
//     object "creation_deployed" {
//         code {
//             sstore(0, 0x1000000000000000000000000000000000000000000000000)
//         }
//     }
// }
