// A function with more parameters than stack instructions reach stores the far ones on entry, those
// above them included; results come back in order.
//! run: stackify
//! exec: calldata=word(1),word(2) => stop; storage[0]=171; storage[1]=2; storage[2]=18
object "o" { code {
    mstore(64, memoryguard(128))
    function f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s) -> x, y, z {
        sstore(r, s)
        y := calldataload(32)
        z := s
        if a { x := add(add(add(add(a, b), add(c, d)), add(add(e, g), add(h, i))), add(add(add(j, k), add(l, m)), add(add(n, o), add(add(p, q), add(r, s))))) leave }
        x, y, z := f(b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, a)
    }
    let u := calldataload(0)
    let x, y, z := f(u, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18)
    sstore(0, x) sstore(1, y) sstore(2, z)
} }
// ---- stackify
// object "o" {
//     PUSH 0x2c0
//     PUSH 0x40
//     MSTORE
//     PUSH L2
//     PUSH 0x12
//     PUSH 0x11
//     PUSH 0x10
//     PUSH 0xf
//     PUSH 0xe
//     PUSH 0xd
//     PUSH 0xc
//     PUSH 0xb
//     PUSH 0xa
//     PUSH 0x9
//     PUSH 0x8
//     PUSH 0x7
//     PUSH 0x6
//     PUSH 0x5
//     PUSH 0x4
//     PUSH 0x3
//     PUSH 0x2
//     PUSH 0x0
//     CALLDATALOAD
//     PUSH L1
//     JUMP [in]
//   L2:
//     SWAP1
//     PUSH 0x0
//     SSTORE
//     PUSH 0x1
//     SSTORE
//     PUSH 0x2
//     SSTORE
//     STOP
//   L1:
//     PUSH 0x80
//     MSTORE
//     PUSH 0xa0
//     MSTORE
//     PUSH 0xc0
//     MSTORE
//     PUSH 0xe0
//     MSTORE
//     PUSH 0x100
//     MSTORE
//     PUSH 0x120
//     MSTORE
//     PUSH 0x140
//     MSTORE
//     PUSH 0x160
//     MSTORE
//     PUSH 0x180
//     MSTORE
//     PUSH 0x1a0
//     MSTORE
//     PUSH 0x1c0
//     MSTORE
//     PUSH 0x1e0
//     MSTORE
//     PUSH 0x200
//     MSTORE
//     PUSH 0x220
//     MSTORE
//     PUSH 0x240
//     MSTORE
//     PUSH 0x260
//     MSTORE
//     PUSH 0x280
//     MSTORE
//     PUSH 0x2a0
//     MSTORE
//     PUSH 0x2a0
//     MLOAD
//     PUSH 0x280
//     MLOAD
//     SSTORE
//     PUSH 0x20
//     CALLDATALOAD
//     PUSH 0x80
//     MLOAD
//     PUSH L3
//     JUMPI
//     POP
//     PUSH 0x80
//     MLOAD
//     PUSH 0x2a0
//     MLOAD
//     PUSH 0x280
//     MLOAD
//     PUSH 0x260
//     MLOAD
//     PUSH 0x240
//     MLOAD
//     PUSH 0x220
//     MLOAD
//     PUSH 0x200
//     MLOAD
//     PUSH 0x1e0
//     MLOAD
//     PUSH 0x1c0
//     MLOAD
//     PUSH 0x1a0
//     MLOAD
//     PUSH 0x180
//     MLOAD
//     PUSH 0x160
//     MLOAD
//     PUSH 0x140
//     MLOAD
//     PUSH 0x120
//     MLOAD
//     PUSH 0x100
//     MLOAD
//     PUSH 0xe0
//     MLOAD
//     PUSH 0xc0
//     MLOAD
//     PUSH 0xa0
//     MLOAD
//     PUSH L1
//     JUMP
//   L3:
//     PUSH 0x2a0
//     MLOAD
//     PUSH 0x280
//     MLOAD
//     ADD
//     PUSH 0x260
//     MLOAD
//     PUSH 0x240
//     MLOAD
//     ADD
//     ADD
//     PUSH 0x220
//     MLOAD
//     PUSH 0x200
//     MLOAD
//     ADD
//     ADD
//     PUSH 0x1e0
//     MLOAD
//     PUSH 0x1c0
//     MLOAD
//     ADD
//     PUSH 0x1a0
//     MLOAD
//     PUSH 0x180
//     MLOAD
//     ADD
//     ADD
//     ADD
//     PUSH 0x160
//     MLOAD
//     PUSH 0x140
//     MLOAD
//     ADD
//     PUSH 0x120
//     MLOAD
//     PUSH 0x100
//     MLOAD
//     ADD
//     ADD
//     PUSH 0xe0
//     MLOAD
//     PUSH 0xc0
//     MLOAD
//     ADD
//     PUSH 0xa0
//     MLOAD
//     PUSH 0x80
//     MLOAD
//     ADD
//     ADD
//     ADD
//     ADD
//     SWAP1
//     PUSH 0x2a0
//     MLOAD
//     SWAP3
//     JUMP [out]
// }
