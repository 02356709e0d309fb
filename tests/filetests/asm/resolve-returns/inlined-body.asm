; The label that a body returns to was pushed before it: the way back is a plain jump.
;! run: asm --passes resolve-returns
;! exec: calldata=word(5) => return word(6)
  PUSH back
  PUSH 0
  CALLDATALOAD
  PUSH 1
  ADD
  SWAP1
  JUMP
back:
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  RETURN
; ---- asm --passes resolve-returns
;   PUSH 0x0
;   CALLDATALOAD
;   PUSH 0x1
;   ADD
;   PUSH L0
;   JUMP
; L0:
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
