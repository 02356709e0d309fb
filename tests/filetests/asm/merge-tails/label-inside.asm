; A shared end reaches back to a label at most: there the other copy may be entered.
;! run: asm --passes merge-tails
;! exec: calldata=word(1) => revert word(1)
;! exec: => revert word(2)
  CALLDATASIZE
  PUSH one
  JUMPI
  PUSH 2
  PUSH 0
  MSTORE
first:
  PUSH 32
  PUSH 0
  REVERT
one:
  PUSH 1
  PUSH 0
  MSTORE
second:
  PUSH 32
  PUSH 0
  REVERT
  PUSH first
  PUSH second
  JUMPI
; ---- asm --passes merge-tails
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   PUSH 0x2
;   PUSH 0x0
;   MSTORE
; L1:
;   PUSH 0x20
;   PUSH 0x0
;   REVERT
; L0:
;   PUSH 0x1
;   PUSH 0x0
;   MSTORE
; L2:
;   PUSH 0x20
;   PUSH 0x0
;   REVERT
;   PUSH L1
;   PUSH L2
;   JUMPI
