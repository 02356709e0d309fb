// A variable that a loop does not change is a test: cases that no test has go, also where that shows behind the loop only.
//! run: build --verify -O0 --emit evm-ir
//! run: build --verify -O2 --emit opcodes
//! exec: calldata=0x0000000000000000000000000000000000000000000000000000000000000005 => stop ; storage[0]=1 ; storage[1]=0 ; storage[2]=7
//! exec: calldata=0x00 => stop ; storage[0]=0 ; storage[1]=0 ; storage[2]=0
{
    let positive := sgt(calldataload(0), 0)
    for { let i := 0 } lt(i, 2) { i := add(i, 1) } {
        switch positive
        case 3 { positive := positive sstore(1, 1) }
        case 1 { sstore(2, 7) }
    }
    sstore(0, positive)
}
// ---- build --verify -O0 --emit evm-ir
// module @object [unguarded] {
//   func @__entry() {
//   ^0:
//     %0 = evm.constant 0 : u256
//     %1 = evm.constant 0 : u256
//     %2 = evm.calldataload %1 : u256
//     %3 = evm.sgt %2, %0 : bool
//     %4 = evm.constant 0 : u256
//     evm.br ^1(%4)
//   ^1(%5 : u256):
//     %6 = evm.constant 2 : u256
//     %7 = evm.lt %5, %6 : bool
//     evm.condbr %7, ^2, ^6
//   ^2:
//     evm.switch %3, default ^5
//       case 1 -> ^4
//   ^3:
//     %8 = evm.constant 1 : u256
//     %9 = evm.constant 1 : u256
//     evm.sstore %9, %8
//     evm.br ^5
//   ^4:
//     %10 = evm.constant 7 : u256
//     %11 = evm.constant 2 : u256
//     evm.sstore %11, %10
//     evm.br ^5
//   ^5:
//     %12 = evm.constant 1 : u256
//     %13 = evm.add %5, %12 : u256
//     evm.br ^1(%13)
//   ^6:
//     %14 = evm.constant 0 : u256
//     evm.sstore %14, %3
//     evm.stop
//   }
// }
// ---- build --verify -O2 --emit opcodes
// PUSH0 CALLDATALOAD PUSH0 SLT PUSH0 PUSH1 0x11 JUMP JUMPDEST DUP2 PUSH1 0x1D JUMPI JUMPDEST PUSH1 0x1 ADD JUMPDEST PUSH1 0x2 DUP2 LT PUSH1 0x8 JUMPI POP PUSH0 SSTORE STOP JUMPDEST PUSH1 0x7 PUSH1 0x2 SSTORE PUSH1 0xD JUMP
