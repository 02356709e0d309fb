; Code that runs off its end stays last.
;! run: asm --passes place-near
;! exec: => stop
;! exec: calldata=word(1) => stop
  CALLDATASIZE
  PUSH often
  JUMPI
  PUSH last
  JUMP
last:
  CALLDATASIZE
  PUSH often
  JUMPI
  PUSH often
  JUMP
often:
  CALLER
  POP
; ---- asm --passes place-near
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   PUSH L1
;   JUMP
; L1:
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   PUSH L0
;   JUMP
; L0:
;   CALLER
;   POP
