// Words from far behind the call data are zero; a sum that wraps ends the loop before it begins, and so the copy.
//! run: build --emit=asm
//! exec: calldata=0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc0,word(1) => return word(0),word(544)
//! exec: calldata=0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc0,word(2) => return word(7),word(512)
//! exec: calldata=word(64),word(1) => return word(0),word(544)
//! exec: calldata=word(32),word(1) => return word(1),word(544)
object "m" {
    code {
        let dst := 512
        mstore(dst, 7)
        let src := calldataload(0)
        for { let end := add(src, mul(calldataload(32), 32)) } lt(src, end) { src := add(src, 32) } {
            mstore(dst, calldataload(src))
            dst := add(dst, 32)
        }
        mstore(0, mload(512))
        mstore(32, dst)
        return(0, 64)
    }
}
// ---- build --emit=asm
// object "m" {
//     PUSH 0x7
//     PUSH 0x200
//     MSTORE
//     PUSH 0x0
//     CALLDATALOAD
//     PUSH 0x20
//     CALLDATALOAD
//     PUSH 0x5
//     SHL
//     DUP1
//     DUP3
//     ADD
//     DUP3
//     LT
//     PUSH L2
//     JUMPI
//     PUSH 0x200
//   L1:
//     PUSH 0x200
//     MLOAD
//     PUSH 0x0
//     MSTORE
//     PUSH 0x20
//     MSTORE
//     PUSH 0x40
//     PUSH 0x0
//     RETURN
//   L2:
//     DUP1
//     SWAP2
//     PUSH 0x200
//     CALLDATACOPY
//     PUSH 0x200
//     ADD
//     PUSH L1
//     JUMP
// }
