; A branch over a jump becomes one branch with the opposite condition.
;! run: asm --passes skip-jumps
;! exec: calldata=word(1) => return
;! exec: => stop
  CALLDATASIZE
  PUSH over
  JUMPI
  PUSH away
  JUMP
over:
  PUSH 0
  PUSH 0
  RETURN
away:
  STOP
; ---- asm --passes skip-jumps
;   CALLDATASIZE
;   ISZERO
;   PUSH L1
;   JUMPI
; L0:
;   PUSH 0x0
;   PUSH 0x0
;   RETURN
; L1:
;   STOP
