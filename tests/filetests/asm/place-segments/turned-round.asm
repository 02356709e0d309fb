; A branch that ends in a jump backwards is turned round, so that its target can follow.
;! run: asm --passes place-segments
;! exec: calldata=word(1) => stop
  GAS
again:
  PUSH 1
  SHR
  DUP1
  ISZERO
  PUSH out
  JUMPI
  PUSH again
  JUMP
other:
  PUSH 0
  PUSH 0
  RETURN
out:
  STOP
; ---- asm --passes place-segments
;   GAS
; L0:
;   PUSH 0x1
;   SHR
;   DUP1
;   ISZERO
;   ISZERO
;   PUSH L0
;   JUMPI
; L1:
;   STOP
; L2:
;   PUSH 0x0
;   PUSH 0x0
;   RETURN
