// A call before which gas is read keeps what costs gas before it, as reading gas does: the load is not carried
// out behind the call, where its only use is.
//! run: build -O2 --emit=asm
{
    let word := sload(0)
    pop(staticcall(gas(), 4, 0, 32, 0, 32))
    sstore(1, not(word))
}
// ---- build -O2 --emit=asm
// object "object" {
//     PUSH 0x0
//     SLOAD
//     PUSH 0x20
//     PUSH 0x0
//     DUP2
//     PUSH 0x0
//     PUSH 0x4
//     GAS
//     STATICCALL
//     POP
//     NOT
//     PUSH 0x1
//     SSTORE
//     STOP
// }
