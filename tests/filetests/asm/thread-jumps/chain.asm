; A jump to a jump goes to the last target, over two that only jump on.
;! run: asm --passes thread-jumps
;! exec: calldata=word(1) => stop
;! exec: => return
  CALLDATASIZE
  PUSH first
  JUMPI
  PUSH 0
  PUSH 0
  RETURN
first:
  PUSH second
  JUMP
second:
  PUSH third
  JUMP
third:
  STOP
; ---- asm --passes thread-jumps
;   CALLDATASIZE
;   PUSH L2
;   JUMPI
;   PUSH 0x0
;   PUSH 0x0
;   RETURN
; L0:
;   PUSH L2
;   JUMP
; L1:
;   PUSH L2
;   JUMP
; L2:
;   STOP
