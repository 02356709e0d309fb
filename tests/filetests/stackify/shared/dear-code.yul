// With many runs bytes count little, and a push costs no more than a copy.
//! run: build -O2 --runs=100000 --emit=asm
//! exec: calldata=word(0x7f),word(0x80) => return word(0x7f)
{
    let mask := 0x7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f
    let a := and(calldataload(0), mask)
    let b := and(calldataload(32), mask)
    mstore(0, xor(a, and(sub(a, b), and(mask, add(b, b)))))
    return(0, 32)
}
// ---- build -O2 --runs=100000 --emit=asm
// object "object" {
//     PUSH 0x0
//     CALLDATALOAD
//     PUSH 0x7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f
//     AND
//     PUSH 0x20
//     CALLDATALOAD
//     PUSH 0x7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f
//     AND
//     DUP1
//     DUP1
//     ADD
//     PUSH 0x7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f
//     AND
//     SWAP1
//     DUP3
//     SUB
//     AND
//     XOR
//     PUSH 0x0
//     MSTORE
//     PUSH 0x20
//     PUSH 0x0
//     RETURN
// }
