; No rule looks across a label, where other code may come in.
;! run: asm --passes peephole
;! exec: calldata=word(7) => return word(8)
;! exec: => return word(1)
  PUSH 1
  CALLDATASIZE
  PUSH more
  JUMPI
  PUSH 0
more:
  POP
  PUSH 0
  CALLDATALOAD
  PUSH 1
  ADD
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  RETURN
; ---- asm --passes peephole
;   PUSH 0x1
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   PUSH 0x0
; L0:
;   POP
;   PUSH 0x0
;   CALLDATALOAD
;   PUSH 0x1
;   ADD
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
