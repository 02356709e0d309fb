; An end that stands nowhere else stays where it is.
;! run: asm --passes share-ends
;! exec: => revert
;! exec: calldata=word(1) => revert word(0)
  CALLDATASIZE
  PUSH some
  JUMPI
  PUSH 0
  PUSH 0
  REVERT
some:
  PUSH fail
  JUMP
fail:
  PUSH 32
  PUSH 0
  REVERT
; ---- asm --passes share-ends
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   PUSH 0x0
;   PUSH 0x0
;   REVERT
; L0:
;   PUSH L1
;   JUMP
; L1:
;   PUSH 0x20
;   PUSH 0x0
;   REVERT
