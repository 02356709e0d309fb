; Words below an end of the run stay there; two ways to one end need not leave the same height.
;! run: asm --passes drop-pops
;! exec: calldata=word(0) => revert
;! exec: calldata=word(1) => stop; storage[0]=7
  PUSH 1
  PUSH 2
  PUSH 3
  PUSH 0
  CALLDATALOAD
  PUSH good
  JUMPI
  POP
  POP
  POP
fail:
  PUSH 0
  PUSH 0
  REVERT
good:
  POP
  PUSH 0
  CALLDATASIZE
  ISZERO
  PUSH fail
  JUMPI
  POP
  POP
  POP
  PUSH 7
  PUSH 0
  SSTORE
  STOP
; ---- asm --passes drop-pops
;   PUSH 0x0
;   CALLDATALOAD
;   PUSH L0
;   JUMPI
; L1:
;   PUSH 0x0
;   PUSH 0x0
;   REVERT
; L0:
;   CALLDATASIZE
;   ISZERO
;   PUSH L1
;   JUMPI
;   PUSH 0x7
;   PUSH 0x0
;   SSTORE
;   STOP
