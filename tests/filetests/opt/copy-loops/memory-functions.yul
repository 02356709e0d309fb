// An encoder that several buffers are passed to copies at once, but not one that is passed the array itself.
//! run: build -Os --emit=asm
//! exec: calldata=word(0),word(2),word(11),word(12) => return word(2),word(11),word(12),word(2),word(11),word(12)
//! exec: calldata=word(1),word(2),word(11),word(12) => return word(0),word(0),word(0)
object "m" {
    code {
        mstore(64, memoryguard(128))
        let a := mload(64)
        calldatacopy(a, 32, sub(calldatasize(), 32))
        mstore(64, add(a, calldatasize()))
        if calldataload(0) {
            mstore(a, 0)
            let behind := shift(a, add(a, 32), 2)
            return(a, sub(behind, a))
        }
        let head := mload(64)
        let tail := encode(a, head)
        tail := encode(a, tail)
        return(head, sub(tail, head))
        function encode(value, pos) -> end {
            let length := mload(value)
            mstore(pos, length)
            end := copy(add(value, 32), add(pos, 32), length)
        }
        function copy(src, pos, length) -> end {
            for { let i := 0 } lt(i, length) { i := add(i, 1) } {
                mstore(pos, mload(src))
                pos := add(pos, 32)
                src := add(src, 32)
            }
            end := pos
        }
        function shift(src, pos, length) -> end {
            for { let i := 0 } lt(i, length) { i := add(i, 1) } {
                mstore(pos, mload(src))
                src := add(src, 32)
                pos := add(pos, 32)
            }
            end := pos
        }
    }
}
// ---- build -Os --emit=asm
// object "m" {
//     PUSH 0x20
//     CALLDATASIZE
//     SUB
//     PUSH 0x20
//     PUSH 0x80
//     CALLDATACOPY
//     CALLDATASIZE
//     PUSH 0x80
//     ADD
//     DUP1
//     PUSH 0x40
//     MSTORE
//     PUSH 0x0
//     CALLDATALOAD
//     PUSH L2
//     JUMPI
//     DUP1
//     PUSH L5
//     PUSH L6
//     DUP3
//   L6:
//     PUSH 0x80
//     DUP1
//     MLOAD
//     PUSH 0x20
//     DUP4
//     ADD
//     SWAP3
//     DUP2
//     SWAP1
//     MSTORE
//     DUP1
//     PUSH 0xe0
//     SHR
//     SWAP1
//     PUSH 0x5
//     SHL
//     OR
//     DUP1
//     SWAP2
//     PUSH 0x20
//     ADD
//     DUP4
//     MCOPY
//     ADD
//     SWAP1
//     JUMP [out]
//   L5:
//     SUB
//     SWAP1
//     RETURN
//   L3:
//     DUP1
//     MLOAD
//     DUP4
//     MSTORE
//     PUSH 0x20
//     ADD
//     SWAP2
//     PUSH 0x20
//     ADD
//     SWAP2
//   L4:
//     DUP2
//     DUP2
//     XOR
//     PUSH L3
//     JUMPI
//     PUSH 0x80
//     DUP4
//     SUB
//     PUSH 0x80
//     RETURN
//   L2:
//     PUSH 0x0
//     PUSH 0x80
//     MSTORE
//     PUSH 0xa0
//     PUSH 0xc0
//     PUSH 0x80
//     PUSH L4
//     JUMP
// }
