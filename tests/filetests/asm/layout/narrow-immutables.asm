; Of a narrow immutable the low bytes are stored; the code around them stays, whatever the value's upper bits are.
;! run: asm
;! exec: deploy => return word(0xeeddccbbaa99887766554433221100ffeeddccbb),word(0xbb),word(0xeeddccbb)
object "outer" {
    PUSH size("sub")
    PUSH offset("sub")
    PUSH 0x43
    CODECOPY
    PUSH 0xffffffffffffffffffffffffeeddccbbaa99887766554433221100ffeeddccbb
    PUSH 0x43
    SETIMMUTABLE "x"
    PUSH size("sub")
    PUSH 0x43
    RETURN
  object "sub" {
      PUSH20 immutable("x")
      PUSH 0
      MSTORE
      PUSH1 immutable("x")
      PUSH 0x20
      MSTORE
      PUSH4 immutable("x")
      PUSH 0x40
      MSTORE
      PUSH 0x60
      PUSH 0
      RETURN
  }
}
; ---- asm
; 6028606c6043397fffffffffffffffffffffffffeeddccbbaa99887766554433221100ffeeddccbb604381816001019060601b815160a01b60a01c17905281816018019060f81b815160081b60081c1790526001019060e01b60e01c815160201c60201b17905260286043f37300000000000000000000000000000000000000005f526000602052630000000060405260605ff3
