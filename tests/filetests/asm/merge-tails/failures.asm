; Two ways to fail that end alike share the end.
;! run: asm --passes merge-tails
;! exec: calldata=word(1) => revert word(1)
;! exec: => revert word(2)
  CALLDATASIZE
  PUSH one
  JUMPI
  PUSH 2
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  REVERT
one:
  PUSH 1
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  REVERT
; ---- asm --passes merge-tails
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   PUSH 0x2
; L1:
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   REVERT
; L0:
;   PUSH 0x1
;   PUSH L1
;   JUMP
