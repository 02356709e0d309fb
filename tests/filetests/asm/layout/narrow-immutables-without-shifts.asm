; Without shifts they are products and quotients.
;! run: asm
;! fork: byzantium
;! exec: deploy => return word(0xddccbb),word(2)
object "outer" {
    PUSH size("sub")
    PUSH offset("sub")
    PUSH 0
    CODECOPY
    PUSH 0xffffffffffffffffffffffffeeddccbbaa99887766554433221100ffeeddccbb
    PUSH 0
    SETIMMUTABLE "x"
    PUSH 0x7702
    PUSH 0
    SETIMMUTABLE "y"
    PUSH size("sub")
    PUSH 0
    RETURN
  object "sub" {
      PUSH3 immutable("x")
      PUSH 0
      MSTORE
      ADDRESS
      ADDRESS
      EQ
      PUSH1 immutable("y")
      MUL
      ADDRESS
      POP
      ADDRESS
      POP
      ADDRESS
      POP
      ADDRESS
      POP
      PUSH 0x20
      MSTORE
      PUSH1 immutable("y")
      POP
      PUSH 0x40
      PUSH 0
      RETURN
  }
}
