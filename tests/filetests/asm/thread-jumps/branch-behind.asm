; A target that branches is no jump: where it goes depends on the stack.
;! run: asm --passes thread-jumps
;! exec: calldata=word(1) => stop
;! exec: => stop
  CALLDATASIZE
  PUSH first
  JUMP
first:
  PUSH second
  JUMPI
  STOP
second:
  STOP
; ---- asm --passes thread-jumps
;   CALLDATASIZE
;   PUSH L0
;   JUMP
; L0:
;   PUSH L1
;   JUMPI
;   STOP
; L1:
;   STOP
