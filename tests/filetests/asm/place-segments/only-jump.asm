; What is jumped to once comes behind the jump, which goes.
;! run: asm --passes place-segments
;! exec: calldata=word(1) => stop
;! exec: => return
  CALLDATASIZE
  PUSH some
  JUMPI
  PUSH none
  JUMP
some:
  STOP
none:
  PUSH 0
  PUSH 0
  RETURN
; ---- asm --passes place-segments
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
; L1:
;   PUSH 0x0
;   PUSH 0x0
;   RETURN
; L0:
;   STOP
