// A word that counts from a small number in small steps does not wrap; one that begins high does.
//! run: build -O2 --emit=asm
//! exec: calldata=word(3),word(0) => return word(3)
//! exec: calldata=word(3),word(1) => revert word(17)
object "m" {
    code {
        switch calldataload(32)
        case 0 {
            for { let i := 0 } lt(i, calldataload(0)) { if gt(i, add(i, 1)) { panic() } i := add(i, 1) } {
                sstore(0, add(sload(0), 1))
            }
        }
        default {
            for { let i := sub(0, 3) } 1 { if gt(i, add(i, 2)) { panic() } i := add(i, 2) } { sstore(i, 1) }
        }
        mstore(0, sload(0))
        return(0, 32)
        function panic() {
            mstore(0, 17)
            revert(0, 32)
        }
    }
}
// ---- build -O2 --emit=asm
// object "m" {
//     PUSH 0x20
//     CALLDATALOAD
//     PUSH L3
//     JUMPI
//     PUSH 0x0
//     PUSH L2
//     JUMP
//   L1:
//     PUSH 0x0
//     SLOAD
//     PUSH 0x1
//     ADD
//     PUSH 0x0
//     SSTORE
//     PUSH 0x1
//     ADD
//   L2:
//     PUSH 0x0
//     CALLDATALOAD
//     DUP2
//     LT
//     PUSH L1
//     JUMPI
//     PUSH 0x0
//     SLOAD
//     PUSH 0x0
//     MSTORE
//     PUSH 0x20
//     PUSH 0x0
//     RETURN
//   L3:
//     PUSH 0x2
//     NOT
//   L4:
//     PUSH 0x1
//     DUP2
//     SSTORE
//     PUSH 0x2
//     DUP2
//     ADD
//     DUP1
//     SWAP2
//     GT
//     ISZERO
//     PUSH L4
//     JUMPI
//     PUSH 0x11
//     PUSH 0x0
//     MSTORE
//     PUSH 0x20
//     PUSH 0x0
//     REVERT
// }
