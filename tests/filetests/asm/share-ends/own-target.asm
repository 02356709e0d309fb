; The copy behind the label that is branched to is where both ways lead: nothing is shared.
;! run: asm --passes share-ends
;! exec: => revert
;! exec: calldata=word(1) => revert
  CALLDATASIZE
  PUSH some
  JUMPI
  PUSH 0
  PUSH 0
  REVERT
some:
  PUSH 0
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
;   PUSH 0x0
;   PUSH 0x0
;   REVERT
