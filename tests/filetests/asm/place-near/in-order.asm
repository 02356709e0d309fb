; Code that lies in this order already is left alone.
;! run: asm --passes place-near
;! exec: => stop
;! exec: calldata=word(1) => revert
  CALLDATASIZE
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
; L0:
;   PUSH 0x0
;   PUSH 0x0
;   REVERT
