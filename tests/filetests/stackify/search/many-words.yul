// Where words have been out of reach, states stay that are dearer for having fetched an operand in
// time: the code needs no memory for its own words, so the free pointer starts at 0x80.
//! run: build -O0 --emit=asm
//! exec: => stop; storage[0]=356; storage[1]=4; storage[2]=3; storage[3]=8; storage[4]=1; storage[5]=9; storage[10]=356; storage[11]=8
{
    mstore(64, memoryguard(128))
    sstore(0, outer(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11))
    function zero() -> r { }
    function same(x) -> r { r := x }
    function keep(x, y) { sstore(x, same(y)) }
    function encode(head, a, b, c, d, e, f, g, h, i) -> tail {
        tail := add(head, 352)
        keep(a, b) keep(c, d) keep(e, f) keep(g, h) keep(i, tail)
    }
    function outer(a, b, c, d, e, f, g, h, i, j, k) -> r {
        let k1 := k
        let s := same(8)
        let j1 := j
        let m := zero()
        let t := encode(add(m, 4), 0, 0, k1, s, 0, 0, 0, 0, j1)
        let b1 := b
        keep(0, b1)
        let e1 := e
        let d1 := d
        let c1 := c
        let h1 := h
        let a1 := a
        let i1 := i
        keep(0, e1) keep(1, d1) keep(2, c1) keep(3, h1) keep(4, a1) keep(5, i1)
        r := t
    }
}
// ---- build -O0 --emit=asm
// object "object" {
//     PUSH 0x80
//     PUSH 0x40
//     MSTORE
//     PUSH L6
//     PUSH 0xb
//     PUSH 0xa
//     PUSH 0x9
//     PUSH 0x8
//     PUSH 0x5
//     PUSH 0x4
//     PUSH 0x3
//     PUSH 0x2
//     PUSH 0x1
//     PUSH L1
//     JUMP [in]
//   L6:
//     PUSH 0x0
//     SSTORE
//     STOP
//   L1:
//     PUSH L7
//     DUP9
//     PUSH 0x0
//     PUSH 0x0
//     PUSH 0x0
//     PUSH 0x0
//     PUSH L8
//     PUSH 0x8
//     PUSH L5
//     JUMP [in]
//   L8:
//     DUP16
//     PUSH 0x0
//     PUSH 0x0
//     PUSH L9
//     PUSH L4
//     JUMP [in]
//   L9:
//     PUSH 0x4
//     ADD
//     PUSH L2
//     JUMP [in]
//   L7:
//     PUSH L10
//     PUSH 0x0
//     DUP5
//     PUSH L3
//     JUMP [in]
//   L10:
//     PUSH L11
//     PUSH 0x0
//     DUP8
//     PUSH L3
//     JUMP [in]
//   L11:
//     PUSH L12
//     PUSH 0x1
//     DUP7
//     PUSH L3
//     JUMP [in]
//   L12:
//     PUSH L13
//     PUSH 0x2
//     DUP6
//     PUSH L3
//     JUMP [in]
//   L13:
//     PUSH L14
//     PUSH 0x3
//     DUP9
//     PUSH L3
//     JUMP [in]
//   L14:
//     PUSH L15
//     PUSH 0x4
//     DUP4
//     PUSH L3
//     JUMP [in]
//   L15:
//     PUSH L16
//     PUSH 0x5
//     DUP10
//     PUSH L3
//     JUMP [in]
//   L16:
//     SWAP10
//     SWAP9
//     POP
//     POP
//     POP
//     POP
//     POP
//     POP
//     POP
//     POP
//     POP
//     JUMP [out]
//   L2:
//     PUSH 0x160
//     ADD
//     PUSH L17
//     SWAP2
//     SWAP1
//     SWAP3
//     PUSH L3
//     JUMP [in]
//   L17:
//     PUSH L18
//     SWAP2
//     SWAP1
//     SWAP3
//     PUSH L3
//     JUMP [in]
//   L18:
//     PUSH L19
//     SWAP2
//     SWAP1
//     SWAP3
//     PUSH L3
//     JUMP [in]
//   L19:
//     PUSH L20
//     SWAP2
//     SWAP1
//     SWAP3
//     PUSH L3
//     JUMP [in]
//   L20:
//     PUSH L21
//     SWAP1
//     SWAP2
//     DUP3
//     PUSH L3
//     JUMP [in]
//   L21:
//     SWAP1
//     JUMP [out]
//   L3:
//     PUSH L22
//     SWAP1
//     PUSH L5
//     JUMP [in]
//   L22:
//     SWAP1
//     SSTORE
//     JUMP [out]
//   L4:
//     PUSH 0x0
//     SWAP1
//     JUMP [out]
//   L5:
//     SWAP1
//     JUMP [out]
// }
