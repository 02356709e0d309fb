; Stores of immutables may make code of any size: entries lead to jumps behind the first segment.
;! run: asm --passes near-tables
;! exec: calldata=word(0) => stop ; storage[0]=1
;! exec: calldata=word(16) => stop ; storage[0]=2
  PUSH table(first second)
  PUSH 0
  CALLDATALOAD
  SHR
  PUSH 0xffff
  AND
  JUMP
second:
  PUSH 2
  PUSH 0
  SSTORE
  STOP
first:
  PUSH 1
  PUSH 0
  SSTORE
  PUSH 7
  PUSH 0
  SETIMMUTABLE "x"
  STOP
; ---- asm --passes near-tables
;   PUSH table(L2 L3)
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
;   PUSH 0x2
;   PUSH 0x0
;   SSTORE
;   STOP
; L0:
;   PUSH 0x1
;   PUSH 0x0
;   SSTORE
;   PUSH 0x7
;   PUSH 0x0
;   SETIMMUTABLE "x"
;   STOP
