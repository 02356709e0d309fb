; A label that is pushed may be jumped to, whatever comes between.
;! run: asm --passes remove-unreachable
;! exec: calldata=word(1) => stop
;! exec: => return
  PUSH one
  PUSH two
  CALLDATASIZE
  PUSH swap
  JUMPI
  JUMP
swap:
  SWAP1
  JUMP
one:
  STOP
two:
  PUSH 0
  PUSH 0
  RETURN
; ---- asm --passes remove-unreachable
;   PUSH L0
;   PUSH L1
;   CALLDATASIZE
;   PUSH L2
;   JUMPI
;   JUMP
; L2:
;   SWAP1
;   JUMP
; L0:
;   STOP
; L1:
;   PUSH 0x0
;   PUSH 0x0
;   RETURN
