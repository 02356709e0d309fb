// More words than stack instructions reach: those that the loop does not use go to memory, those
// that it uses in each round stay.
//! run: stackify
//! exec: calldata=word(2) => stop; storage[100]=1; storage[101]=17
object "o" { code {
    mstore(64, memoryguard(128))
    let n := sload(calldataload(0))
    let v0 := sload(1) let v1 := sload(2) let v2 := sload(3) let v3 := sload(4) let v4 := sload(5)
    let v5 := sload(6) let v6 := sload(7) let v7 := sload(8) let v8 := sload(9) let v9 := sload(10)
    let v10 := sload(11) let v11 := sload(12) let v12 := sload(13) let v13 := sload(14) let v14 := sload(15)
    let v15 := sload(16) let v16 := sload(17) let v17 := sload(18) let v18 := sload(19) let v19 := sload(20)
    let v20 := sload(21) let v21 := sload(22) let v22 := sload(23) let v23 := sload(24) let v24 := sload(25)
    let v25 := sload(26)
    for { let x := 0 } lt(x, n) { x := add(x, 1) } {
        sstore(add(x, v0), mul(v1, x))
        sstore(add(x, v1), add(v0, v20))
    }
    sstore(v0, v1) sstore(v2, v3) sstore(v4, v5)
    sstore(v6, v7) sstore(v8, v9) sstore(v10, v11)
    sstore(v12, v13) sstore(v14, v15) sstore(v16, v17)
    sstore(v18, v19) sstore(v20, v21) sstore(v22, v23)
    sstore(v24, v25)
    sstore(100, eq(v0, v1))
    sstore(101, add(add(v0, v25), 17))
} }
// ---- stackify
// object "o" {
//     PUSH 0x2c0
//     PUSH 0x40
//     MSTORE
//     PUSH 0x0
//     CALLDATALOAD
//     SLOAD
//     PUSH 0x80
//     MSTORE
//     PUSH 0x1
//     SLOAD
//     PUSH 0x2
//     SLOAD
//     PUSH 0x3
//     SLOAD
//     PUSH 0xa0
//     MSTORE
//     PUSH 0x4
//     SLOAD
//     PUSH 0xc0
//     MSTORE
//     PUSH 0x5
//     SLOAD
//     PUSH 0xe0
//     MSTORE
//     PUSH 0x6
//     SLOAD
//     PUSH 0x100
//     MSTORE
//     PUSH 0x7
//     SLOAD
//     PUSH 0x120
//     MSTORE
//     PUSH 0x8
//     SLOAD
//     PUSH 0x140
//     MSTORE
//     PUSH 0x9
//     SLOAD
//     PUSH 0x160
//     MSTORE
//     PUSH 0xa
//     SLOAD
//     PUSH 0x180
//     MSTORE
//     PUSH 0xb
//     SLOAD
//     PUSH 0x1a0
//     MSTORE
//     PUSH 0xc
//     SLOAD
//     PUSH 0x1c0
//     MSTORE
//     PUSH 0xd
//     SLOAD
//     PUSH 0x1e0
//     MSTORE
//     PUSH 0xe
//     SLOAD
//     PUSH 0x200
//     MSTORE
//     PUSH 0xf
//     SLOAD
//     PUSH 0x220
//     MSTORE
//     PUSH 0x10
//     SLOAD
//     PUSH 0x240
//     MSTORE
//     PUSH 0x11
//     SLOAD
//     PUSH 0x260
//     MSTORE
//     PUSH 0x12
//     SLOAD
//     PUSH 0x280
//     MSTORE
//     PUSH 0x13
//     SLOAD
//     PUSH 0x2a0
//     MSTORE
//     PUSH 0x14
//     SLOAD
//     PUSH 0x15
//     SLOAD
//     PUSH 0x16
//     SLOAD
//     PUSH 0x17
//     SLOAD
//     PUSH 0x18
//     SLOAD
//     PUSH 0x19
//     SLOAD
//     PUSH 0x1a
//     SLOAD
//     PUSH 0x0
//     PUSH L2
//     JUMP
//   L1:
//     DUP1
//     DUP10
//     MUL
//     DUP11
//     DUP3
//     ADD
//     SSTORE
//     DUP7
//     DUP11
//     ADD
//     DUP10
//     DUP3
//     ADD
//     SSTORE
//     PUSH 0x1
//     ADD
//   L2:
//     PUSH 0x80
//     MLOAD
//     DUP2
//     LT
//     PUSH L1
//     JUMPI
//     POP
//     DUP8
//     DUP10
//     SSTORE
//     PUSH 0xc0
//     MLOAD
//     PUSH 0xa0
//     MLOAD
//     SSTORE
//     PUSH 0x100
//     MLOAD
//     PUSH 0xe0
//     MLOAD
//     SSTORE
//     PUSH 0x140
//     MLOAD
//     PUSH 0x120
//     MLOAD
//     SSTORE
//     PUSH 0x180
//     MLOAD
//     PUSH 0x160
//     MLOAD
//     SSTORE
//     PUSH 0x1c0
//     MLOAD
//     PUSH 0x1a0
//     MLOAD
//     SSTORE
//     PUSH 0x200
//     MLOAD
//     PUSH 0x1e0
//     MLOAD
//     SSTORE
//     PUSH 0x240
//     MLOAD
//     PUSH 0x220
//     MLOAD
//     SSTORE
//     PUSH 0x280
//     MLOAD
//     PUSH 0x260
//     MLOAD
//     SSTORE
//     SWAP6
//     PUSH 0x2a0
//     MLOAD
//     SSTORE
//     SWAP3
//     DUP5
//     SSTORE
//     SWAP1
//     SSTORE
//     DUP3
//     SWAP1
//     SSTORE
//     POP
//     SWAP1
//     DUP3
//     EQ
//     PUSH 0x64
//     SSTORE
//     ADD
//     PUSH 0x11
//     ADD
//     PUSH 0x65
//     SSTORE
//     STOP
// }
