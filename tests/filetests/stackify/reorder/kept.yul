// Operations that conflict keep their order, whatever it costs: the load stays between the stores.
//! run: build -O2 --emit=asm
//! exec: calldata=word(5),word(6) => return word(11); storage[5]=6; storage[6]=12
{
    let a := calldataload(0)
    let b := calldataload(32)
    sstore(a, b)
    let sum := add(sload(b), a)
    sstore(b, add(sload(a), b))
    mstore(0, add(sum, sload(a)))
    return(0, 32)
}
// ---- build -O2 --emit=asm
// object "object" {
//     PUSH 0x0
//     CALLDATALOAD
//     PUSH 0x20
//     CALLDATALOAD
//     DUP1
//     DUP3
//     SSTORE
//     DUP1
//     SLOAD
//     DUP3
//     ADD
//     DUP2
//     DUP1
//     ADD
//     DUP3
//     SSTORE
//     DUP3
//     SLOAD
//     ADD
//     PUSH 0x0
//     MSTORE
//     PUSH 0x20
//     PUSH 0x0
//     RETURN
// }
