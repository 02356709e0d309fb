; A label that is copied is not only carried: it stays.
;! run: asm --passes resolve-returns
;! exec: => return word(1)
  PUSH back
  DUP1
  DUP1
  EQ
  SWAP1
  JUMP
back:
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  RETURN
; ---- asm --passes resolve-returns
;   PUSH L0
;   DUP1
;   DUP1
;   EQ
;   SWAP1
;   JUMP
; L0:
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
