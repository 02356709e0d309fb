; One instruction between the jump and its target keeps both.
;! run: asm --passes skip-jumps
;! exec: calldata=word(1) => stop
;! exec: => stop
  CALLDATASIZE
  PUSH over
  JUMPI
  CALLER
  PUSH away
  JUMP
over:
  CALLER
away:
  STOP
; ---- asm --passes skip-jumps
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   CALLER
;   PUSH L1
;   JUMP
; L0:
;   CALLER
; L1:
;   STOP
