; Of equal blocks the one stays that control falls into; the other is left to nobody.
;! run: asm --passes merge-blocks
;! exec: calldata=word(1) => revert
;! exec: => revert
  CALLDATASIZE
  PUSH one
  JUMPI
  PUSH over
  JUMP
one:
  PUSH 0
  PUSH 0
  REVERT
over:
  CALLER
  POP
two:
  PUSH 0
  PUSH 0
  REVERT
used:
  PUSH two
  JUMP
; ---- asm --passes merge-blocks
;   CALLDATASIZE
;   PUSH L2
;   JUMPI
;   PUSH L1
;   JUMP
; L0:
;   PUSH 0x0
;   PUSH 0x0
;   REVERT
; L1:
;   CALLER
;   POP
; L2:
;   PUSH 0x0
;   PUSH 0x0
;   REVERT
; L3:
;   PUSH L2
;   JUMP
