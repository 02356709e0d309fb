; An exchange with the label becomes a rotation of the words above, if that takes at most one exchange more.
;! run: asm --passes resolve-returns
;! exec: => return word(2)
  PUSH back
  PUSH 1
  PUSH 2
  PUSH 3
  SWAP3
  JUMP
back:
  PUSH 0
  MSTORE
  POP
  POP
  PUSH 32
  PUSH 0
  RETURN
; ---- asm --passes resolve-returns
;   PUSH 0x1
;   PUSH 0x2
;   PUSH 0x3
;   SWAP2
;   SWAP1
;   PUSH L0
;   JUMP
; L0:
;   PUSH 0x0
;   MSTORE
;   POP
;   POP
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
