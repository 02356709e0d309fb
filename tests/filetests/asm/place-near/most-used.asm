; What is jumped to most often for its size comes first, where one byte says its place.
;! run: asm --passes place-near
;! exec: => stop
;! exec: calldata=word(0) => revert
;! exec: calldata=word(1) => revert
  CALLDATASIZE
  PUSH some
  JUMPI
  STOP
some:
  PUSH 0
  CALLDATALOAD
  PUSH fail
  JUMPI
  PUSH 1
  PUSH 2
  ADD
  PUSH fail
  JUMPI
  STOP
fail:
  PUSH 0
  PUSH 0
  REVERT
; ---- asm --passes place-near
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   STOP
; L1:
;   PUSH 0x0
;   PUSH 0x0
;   REVERT
; L0:
;   PUSH 0x0
;   CALLDATALOAD
;   PUSH L1
;   JUMPI
;   PUSH 0x1
;   PUSH 0x2
;   ADD
;   PUSH L1
;   JUMPI
;   STOP
