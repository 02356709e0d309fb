// A buffer that is stored may be what is copied from; where a copy overlaps what it reads it stays a loop.
//! run: build --emit=asm
//! exec: calldata=word(0) => return word(5),word(5),word(5)
//! exec: calldata=word(1) => return word(5),word(5),word(5)
object "m" {
    code {
        mstore(64, memoryguard(128))
        let box := mload(64)
        mstore(64, add(box, 32))
        let p := mload(64)
        mstore(64, add(p, 96))
        mstore(p, 5)
        switch calldataload(0)
        case 0 {
            mstore(box, p)
            let src := mload(box)
            let dst := add(p, 32)
            for { let i := 0 } lt(i, add(calldataload(0), 2)) { i := add(i, 1) } {
                mstore(dst, mload(src))
                dst := add(dst, 32)
                src := add(src, 32)
            }
        }
        default {
            let q := mload(64)
            copy(p, add(p, 32), add(calldataload(0), 1))
            copy(p, q, add(calldataload(0), 2))
            return(q, 96)
        }
        return(p, 96)
        function copy(src, pos, length) {
            for { let i := 0 } lt(i, length) { i := add(i, 1) } {
                mstore(pos, mload(src))
                pos := add(pos, 32)
                src := add(src, 32)
            }
        }
    }
}
// ---- build --emit=asm
// object "m" {
//     PUSH 0xa0
//     PUSH 0x100
//     DUP1
//     PUSH 0x40
//     MSTORE
//     PUSH 0x5
//     DUP3
//     MSTORE
//     PUSH 0x0
//     CALLDATALOAD
//     DUP1
//     PUSH L3
//     JUMPI
//     DUP3
//     PUSH 0x80
//     MSTORE
//     PUSH 0xc0
//     PUSH 0x40
//     DUP2
//     ADD
//     DUP5
//     PUSH L2
//     JUMP
//   L1:
//     DUP1
//     MLOAD
//     DUP4
//     MSTORE
//     SWAP2
//     PUSH 0x20
//     ADD
//     SWAP2
//     PUSH 0x20
//     ADD
//   L2:
//     DUP2
//     DUP4
//     XOR
//     PUSH L1
//     JUMPI
//     PUSH 0x60
//     DUP7
//     RETURN
//   L4:
//     DUP1
//     MLOAD
//     DUP4
//     MSTORE
//     SWAP2
//     PUSH 0x20
//     ADD
//     SWAP2
//     PUSH 0x20
//     ADD
//   L5:
//     DUP2
//     DUP4
//     XOR
//     PUSH L4
//     JUMPI
//     SWAP3
//     PUSH 0x2
//     ADD
//     DUP1
//     PUSH 0xe0
//     SHR
//     SWAP1
//     PUSH 0x5
//     SHL
//     OR
//     DUP6
//     DUP6
//     MCOPY
//     PUSH 0x60
//     DUP5
//     RETURN
//   L3:
//     PUSH 0xc0
//     PUSH 0x1
//     DUP3
//     ADD
//     DUP1
//     PUSH 0xfb
//     SHR
//     SWAP1
//     PUSH 0x5
//     SHL
//     DUP3
//     ADD
//     ADD
//     DUP5
//     PUSH L5
//     JUMP
// }
