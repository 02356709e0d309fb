; A call of a small function becomes its body, and the way back is no jump of its own.
;! run: asm --passes copy-targets
;! exec: calldata=word(5) => return word(42)
  PUSH back
  PUSH 0
  CALLDATALOAD
  PUSH f
  JUMP
back:
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  RETURN
f:
  PUSH 1
  ADD
  PUSH 7
  MUL
  SWAP1
  JUMP
; ---- asm --passes copy-targets
;   PUSH 0x0
;   CALLDATALOAD
;   PUSH 0x1
;   ADD
;   PUSH 0x7
;   MUL
;   PUSH L0
;   JUMP
; L0:
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
; L1:
;   PUSH 0x1
;   ADD
;   PUSH 0x7
;   MUL
;   SWAP1
;   JUMP
