; Entries that share a target share its jump, in all tables; without a table nothing is done.
;! run: asm --passes near-tables
;! exec: calldata=word(0) => stop
;! exec: calldata=word(16) => stop ; storage[0]=1
;! exec: calldata=word(32) => stop
  PUSH table(end more end end)
  PUSH 0
  CALLDATALOAD
  SHR
  PUSH 0xffff
  AND
  JUMP
more:
  PUSH 1
  PUSH 0
  SSTORE
  PUSH table(end more)
  PUSH 0xffff
  AND
  JUMP
end:
  PUSH 7
  PUSH 0
  SETIMMUTABLE "x"
  STOP
object "sub" {
    PUSH 0
    PUSH 0
    SETIMMUTABLE "y"
    STOP
}
; ---- asm --passes near-tables
;   PUSH table(L2 L3 L2 L2)
;   PUSH 0x0
;   CALLDATALOAD
;   SHR
;   PUSH 0xffff
;   AND
;   JUMP
; L2:
;   PUSH L0
;   JUMP
; L3:
;   PUSH L1
;   JUMP
; L1:
;   PUSH 0x1
;   PUSH 0x0
;   SSTORE
;   PUSH table(L2 L3)
;   PUSH 0xffff
;   AND
;   JUMP
; L0:
;   PUSH 0x7
;   PUSH 0x0
;   SETIMMUTABLE "x"
;   STOP
; object "sub" {
;     PUSH 0x0
;     PUSH 0x0
;     SETIMMUTABLE "y"
;     STOP
; }
