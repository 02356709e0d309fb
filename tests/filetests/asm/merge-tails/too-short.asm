; A jump to the other copy would be as long as the end.
;! run: asm --passes merge-tails
;! exec: calldata=word(1) => revert
;! exec: => revert
  CALLDATASIZE
  PUSH one
  JUMPI
  CALLER
  PUSH 0
  PUSH 0
  REVERT
one:
  ADDRESS
  PUSH 0
  PUSH 0
  REVERT
; ---- asm --passes merge-tails
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   CALLER
;   PUSH 0x0
;   PUSH 0x0
;   REVERT
; L0:
;   ADDRESS
;   PUSH 0x0
;   PUSH 0x0
;   REVERT
