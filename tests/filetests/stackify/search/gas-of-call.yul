// The gas that a call is given is read right before it: other operands are in place already. Gas that is used
// twice, that something is done with, or behind which something is stored, is read where it stands.
//! run: build -O2 --emit=asm
{
    let a := calldataload(0)
    let b := calldataload(32)
    let c := calldataload(64)
    mstore(0, add(a, b))
    let s := call(gas(), a, b, 0, 32, 0, c)
    let t := staticcall(gas(), c, 0, add(b, 32), 0, 0)
    let before := gas()
    sstore(1, a)
    let u := delegatecall(before, b, 0, c, 0, 32)
    let twice := gas()
    let v := call(twice, twice, b, a, 0, 0, 0)
    let w := callcode(sub(gas(), a), b, c, 0, 32, 0, 0)
    sstore(s, add(add(t, u), add(v, w)))
}
// ---- build -O2 --emit=asm
// object "object" {
//     PUSH 0x0
//     CALLDATALOAD
//     PUSH 0x20
//     CALLDATALOAD
//     PUSH 0x40
//     CALLDATALOAD
//     DUP2
//     DUP4
//     ADD
//     PUSH 0x0
//     MSTORE
//     DUP1
//     PUSH 0x0
//     PUSH 0x20
//     PUSH 0x0
//     DUP6
//     DUP8
//     GAS
//     CALL
//     PUSH 0x0
//     PUSH 0x0
//     PUSH 0x20
//     DUP6
//     ADD
//     PUSH 0x0
//     DUP6
//     GAS
//     STATICCALL
//     GAS
//     DUP6
//     PUSH 0x1
//     SSTORE
//     PUSH 0x20
//     PUSH 0x0
//     DUP6
//     PUSH 0x0
//     DUP9
//     DUP6
//     DELEGATECALL
//     GAS
//     PUSH 0x0
//     PUSH 0x0
//     PUSH 0x0
//     PUSH 0x0
//     DUP11
//     DUP6
//     DUP1
//     CALL
//     PUSH 0x0
//     PUSH 0x0
//     PUSH 0x20
//     PUSH 0x0
//     DUP13
//     GAS
//     SUB
//     SWAP1
//     SWAP5
//     SWAP11
//     SWAP2
//     SWAP4
//     SWAP6
//     SWAP12
//     SWAP1
//     CALLCODE
//     DUP6
//     ADD
//     SWAP3
//     ADD
//     DUP3
//     ADD
//     DUP4
//     SSTORE
//     STOP
// }
