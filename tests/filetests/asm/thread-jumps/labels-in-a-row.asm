; Of two labels at one place the first is used.
;! run: asm --passes thread-jumps
;! exec: calldata=word(1) => stop
;! exec: => stop
  CALLDATASIZE
  PUSH second
  JUMPI
  PUSH first
  JUMP
first:
second:
  STOP
; ---- asm --passes thread-jumps
;   CALLDATASIZE
;   PUSH L1
;   JUMPI
;   PUSH L1
;   JUMP
; L1:
; L0:
;   STOP
