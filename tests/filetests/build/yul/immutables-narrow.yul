// Addresses take 20 bytes of the code; what is above them in the word does not matter.
//! run: build --emit=asm
//! exec: deploy calldata=word(1) => return word(0x1122334455667788990011223344556677889900),word(0xff),word(8)
object "A" {
    code {
        let size := datasize("B")
        datacopy(0x40, dataoffset("B"), size)
        setimmutable(0x40, "owner", 0xdeadbeefdeadbeefdeadbeef1122334455667788990011223344556677889900)
        setimmutable(0x40, "decimals", 0x1ff)
        setimmutable(0x40, "word", 7)
        return(0x40, size)
    }
    object "B" {
        code {
            mstore(0, and(loadimmutable("owner"), 0xffffffffffffffffffffffffffffffffffffffff))
            mstore(32, and(loadimmutable("decimals"), 0xff))
            mstore(64, add(loadimmutable("word"), eq(shl(96, loadimmutable("owner")), 0x1122334455667788990011223344556677889900000000000000000000000000)))
            return(0, 96)
        }
    }
}
// ---- build --emit=asm
// object "A" {
//     PUSH size("B")
//     PUSH offset("B")
//     PUSH 0x40
//     CODECOPY
//     PUSH 0xdeadbeefdeadbeefdeadbeef1122334455667788990011223344556677889900
//     PUSH 0x40
//     SETIMMUTABLE "owner"
//     PUSH 0x1ff
//     PUSH 0x40
//     SETIMMUTABLE "decimals"
//     PUSH 0x7
//     PUSH 0x40
//     SETIMMUTABLE "word"
//     PUSH size("B")
//     PUSH 0x40
//     RETURN
//   object "B" {
//       PUSH20 immutable("owner")
//       PUSH 0x0
//       MSTORE
//       PUSH1 immutable("decimals")
//       PUSH 0x20
//       MSTORE
//       PUSH20 immutable("owner")
//       PUSH 0x60
//       SHL
//       PUSH 0x11223344556677889900112233445566778899
//       PUSH 0x68
//       SHL
//       EQ
//       PUSH immutable("word")
//       ADD
//       PUSH 0x40
//       MSTORE
//       PUSH 0x60
//       PUSH 0x0
//       RETURN
//   }
// }
