; The target may be any of the labels that follow.
;! run: asm --passes skip-jumps
;! exec: => stop
  CALLDATASIZE
  PUSH second
  JUMPI
  PUSH second
  JUMP
first:
second:
  STOP
; ---- asm --passes skip-jumps
;   CALLDATASIZE
;   POP
; L1:
; L0:
;   STOP
