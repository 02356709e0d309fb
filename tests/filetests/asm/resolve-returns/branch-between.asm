; A branch between the push and the jump may need the label elsewhere.
;! run: asm --passes resolve-returns
;! exec: calldata=word(1) => stop
;! exec: => stop
  PUSH back
  CALLDATASIZE
  PUSH back
  JUMPI
  CALLER
  SWAP1
  JUMP
back:
  STOP
; ---- asm --passes resolve-returns
;   PUSH L0
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   CALLER
;   SWAP1
;   JUMP
; L0:
;   STOP
