; An immutable is stored at each of its placeholders in the copied code.
;! run: asm
;! exec: deploy => return word(7)
object "outer" {
    PUSH size("sub")
    PUSH offset("sub")
    PUSH 0
    CODECOPY
    PUSH 7
    PUSH 0
    SETIMMUTABLE "x"
    PUSH size("sub")
    PUSH 0
    RETURN
  object "sub" {
      PUSH immutable("x")
      PUSH immutable("x")
      AND
      PUSH 0
      MSTORE
      PUSH 32
      PUSH 0
      RETURN
  }
}
; ---- asm
; 604960175f3960075f8181600101526022015260495ff37f00000000000000000000000000000000000000000000000000000000000000007f0000000000000000000000000000000000000000000000000000000000000000165f5260205ff3
