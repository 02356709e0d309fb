; A branch over a way to fail goes to the copy that has a label, if the condition is turned round.
;! run: asm --passes share-ends
;! exec: => revert
;! exec: calldata=word(1) => revert
;! exec: calldata=word(0) => stop
  CALLDATASIZE
  PUSH some
  JUMPI
  PUSH 0
  PUSH 0
  REVERT
some:
  PUSH 0
  CALLDATALOAD
  PUSH fail
  JUMPI
  STOP
fail:
  PUSH 0
  PUSH 0
  REVERT
; ---- asm --passes share-ends
;   CALLDATASIZE
;   ISZERO
;   PUSH L1
;   JUMPI
; L0:
;   PUSH 0x0
;   CALLDATALOAD
;   PUSH L1
;   JUMPI
;   STOP
; L1:
;   PUSH 0x0
;   PUSH 0x0
;   REVERT
