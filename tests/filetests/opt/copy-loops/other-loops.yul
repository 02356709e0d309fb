// Loops that do more or other than copy words stay: bytes, a pointer to where words go as the test, a size of odd bytes, words changed on the way.
//! run: build --emit=asm
//! exec: calldata=word(2),word(7),word(9) => return word(14),word(18),word(7),word(9),word(9)
object "m" {
    code {
        let n := calldataload(0)
        let dst := 512
        for { let src := 32 let end := add(src, mul(n, 32)) } lt(src, end) { src := add(src, 32) } {
            mstore(dst, mul(calldataload(src), 2))
            dst := add(dst, 32)
        }
        let from := 32
        for { let end := add(dst, mul(n, 32)) } lt(dst, end) { dst := add(dst, 32) } {
            mstore(dst, calldataload(from))
            from := add(from, 32)
        }
        for { let src := 64 let end := add(src, mul(n, 17)) } lt(src, end) { src := add(src, 32) } {
            mstore(dst, calldataload(src))
            dst := add(dst, 32)
        }
        return(512, 160)
    }
}
// ---- build --emit=asm
// object "m" {
//     PUSH 0x0
//     CALLDATALOAD
//     DUP1
//     PUSH 0x5
//     SHL
//     DUP1
//     PUSH 0x20
//     ADD
//     PUSH 0x20
//     PUSH 0x200
//     PUSH L6
//     JUMP
//   L1:
//     DUP1
//     CALLDATALOAD
//     DUP7
//     MSTORE
//     SWAP5
//     PUSH 0x20
//     ADD
//     SWAP5
//     PUSH 0x20
//     ADD
//   L2:
//     DUP2
//     DUP2
//     LT
//     PUSH L1
//     JUMPI
//     PUSH 0xa0
//     PUSH 0x200
//     RETURN
//   L5:
//     PUSH 0x20
//     DUP3
//     ADD
//     SWAP2
//     CALLDATALOAD
//     PUSH 0x1
//     SHL
//     DUP2
//     MSTORE
//     PUSH 0x20
//     ADD
//   L6:
//     DUP3
//     DUP3
//     LT
//     PUSH L5
//     JUMPI
//     SWAP3
//     DUP4
//     ADD
//     PUSH 0x20
//     PUSH L4
//     JUMP
//   L3:
//     DUP1
//     CALLDATALOAD
//     DUP6
//     MSTORE
//     PUSH 0x20
//     ADD
//     SWAP4
//     PUSH 0x20
//     ADD
//     SWAP4
//   L4:
//     DUP2
//     DUP6
//     LT
//     PUSH L3
//     JUMPI
//     SWAP5
//     PUSH 0x11
//     MUL
//     PUSH 0x40
//     ADD
//     PUSH 0x40
//     PUSH L2
//     JUMP
// }
