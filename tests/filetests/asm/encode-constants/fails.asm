; A short run of ones is pushed, which takes less gas; where execution is bound to fail the bytes alone count.
;! run: asm --passes encode-constants
;! exec: => return word(0xffffffffffff)
  CALLVALUE
  PUSH fails
  JUMPI
  PUSH 0xffffffffffff
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  RETURN
fails:
  PUSH 0xffffffffffff
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  REVERT
; ---- asm --passes encode-constants
;   CALLVALUE
;   PUSH L0
;   JUMPI
;   PUSH 0xffffffffffff
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
; L0:
;   PUSH 0x0
;   NOT
;   PUSH 0xd0
;   SHR
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   REVERT
