// A loop that copies words of call data to memory is one `calldatacopy`; what call data lack is zero, and nothing is copied for no words.
//! run: build --emit=canonical
//! exec: calldata=word(2),word(7),word(9) => return word(7),word(9),word(256),word(96),word(2)
//! exec: calldata=word(0),word(7) => return word(0),word(0),word(192),word(32),word(0)
//! exec: calldata=word(3),word(7) => return word(7),word(0),word(288),word(128),word(3)
//! exec: calldata=0x0800000000000000000000000000000000000000000000000000000000000001,word(5) => return word(5),word(0),word(224),word(64),word(1)
object "m" {
    code {
        let n := calldataload(0)
        let dst := 192
        let i := 0
        let src := 32
        for { let end := add(src, mul(n, 32)) } lt(src, end) { src := add(src, 32) } {
            mstore(dst, calldataload(src))
            dst := add(dst, 32)
            i := add(i, 1)
        }
        mstore(0, mload(192))
        mstore(32, mload(224))
        mstore(64, dst)
        mstore(96, src)
        mstore(128, i)
        return(0, 160)
    }
}
// ---- build --emit=canonical
// module @m [unguarded] {
//   func @__entry() {
//   ^0:
//     %0 = evm.alloca : ptr<0>
//     %1 = evm.alloca : ptr<0>
//     %2 = evm.alloca : ptr<0>
//     %3 = evm.constant 0 : u256
//     %4 = evm.calldataload %3 : u256
//     %5 = evm.constant 5 : u256
//     %6 = evm.shl %5, %4 : u256
//     %7 = evm.constant 32 : u256
//     %8 = evm.add %7, %6 : u256
//     %9 = evm.lt %7, %8 : bool
//     %10 = evm.constant 192 : u256
//     evm.condbr %9, ^1, ^2
//   ^1:
//     %11 = evm.constant 192 : u256
//     %12 = evm.constant 32 : u256
//     evm.calldatacopy %11, %12, %6
//     %13 = evm.add %11, %6 : u256
//     %14 = evm.constant 5 : u256
//     %15 = evm.shr %14, %6 : u256
//     evm.mstore %0, %13
//     evm.mstore %1, %15
//     evm.mstore %2, %8
//     evm.br ^3
//   ^2:
//     evm.mstore %0, %10
//     evm.mstore %1, %3
//     evm.mstore %2, %7
//     evm.br ^3
//   ^3:
//     %16 = evm.mload %0 : u256
//     %17 = evm.mload %1 : u256
//     %18 = evm.mload %2 : u256
//     %19 = evm.constant 192 : u256
//     %20 = evm.mload %19 : u256
//     %21 = evm.constant 0 : u256
//     evm.mstore %21, %20
//     %22 = evm.constant 224 : u256
//     %23 = evm.mload %22 : u256
//     %24 = evm.constant 32 : u256
//     evm.mstore %24, %23
//     %25 = evm.constant 64 : u256
//     evm.mstore %25, %16
//     %26 = evm.constant 96 : u256
//     evm.mstore %26, %18
//     %27 = evm.constant 128 : u256
//     evm.mstore %27, %17
//     %28 = evm.constant 160 : u256
//     evm.return %21, %28
//   }
// }
