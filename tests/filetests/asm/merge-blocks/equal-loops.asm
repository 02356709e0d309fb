; Blocks are compared up to their own label: two loops that do the same are one.
;! run: asm --passes merge-blocks
;! exec: calldata=word(1) => stop
;! exec: => stop
  GAS
  CALLDATASIZE
  PUSH one
  JUMPI
  PUSH two
  JUMP
one:
  PUSH 1
  SHR
  DUP1
  PUSH one
  JUMPI
  STOP
two:
  PUSH 1
  SHR
  DUP1
  PUSH two
  JUMPI
  STOP
; ---- asm --passes merge-blocks
;   GAS
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   PUSH L0
;   JUMP
; L0:
;   PUSH 0x1
;   SHR
;   DUP1
;   PUSH L0
;   JUMPI
;   STOP
; L1:
;   PUSH 0x1
;   SHR
;   DUP1
;   PUSH L0
;   JUMPI
;   STOP
