; Labels that only jump to each other are one endless loop, and threading ends.
;! run: asm --passes thread-jumps
;! exec: calldata=word(1) => stop
  CALLDATASIZE
  PUSH out
  JUMPI
one:
  PUSH two
  JUMP
two:
  PUSH one
  JUMP
out:
  STOP
; ---- asm --passes thread-jumps
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
; L1:
;   PUSH L2
;   JUMP
; L2:
;   PUSH L2
;   JUMP
; L0:
;   STOP
