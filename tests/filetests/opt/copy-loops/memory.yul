// What an encoder copies word by word into a buffer of its own is copied at once; a count that nobody can pay for
// is not taken for a small one.
//! run: build --emit=asm
//! exec: calldata=word(3),word(11),word(12),word(13) => return word(32),word(3),word(11),word(12),word(13)
//! exec: calldata=word(0) => return word(32),word(0)
//! exec: calldata=0x0800000000000000000000000000000000000000000000000000000000000000,word(11) => halt
object "m" {
    code {
        mstore(64, memoryguard(128))
        let n := calldataload(0)
        let a := mload(64)
        mstore(a, n)
        calldatacopy(add(a, 32), 32, sub(calldatasize(), 32))
        mstore(64, add(a, calldatasize()))
        let head := mload(64)
        mstore(head, 32)
        let tail := encode(a, add(head, 32))
        return(head, sub(tail, head))
        function encode(value, pos) -> end {
            let length := mload(value)
            mstore(pos, length)
            pos := add(pos, 32)
            let src := add(value, 32)
            for { let i := 0 } lt(i, length) { i := add(i, 1) } {
                mstore(pos, mload(src))
                pos := add(pos, 32)
                src := add(src, 32)
            }
            end := pos
        }
    }
}
// ---- build --emit=asm
// object "m" {
//     PUSH 0x0
//     CALLDATALOAD
//     PUSH 0x80
//     MSTORE
//     PUSH 0xa0
//     PUSH 0x20
//     CALLDATASIZE
//     SUB
//     PUSH 0x20
//     DUP3
//     CALLDATACOPY
//     CALLDATASIZE
//     PUSH 0x80
//     ADD
//     DUP1
//     PUSH 0x40
//     MSTORE
//     PUSH 0x20
//     DUP2
//     MSTORE
//     PUSH 0x80
//     MLOAD
//     DUP1
//     PUSH 0x20
//     DUP4
//     ADD
//     MSTORE
//     DUP1
//     PUSH 0xe0
//     SHR
//     SWAP1
//     PUSH 0x5
//     SHL
//     OR
//     DUP1
//     DUP4
//     PUSH 0x40
//     DUP5
//     ADD
//     MCOPY
//     PUSH 0x40
//     ADD
//     SWAP1
//     RETURN
// }
