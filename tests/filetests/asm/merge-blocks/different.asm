; One word of difference keeps two blocks apart.
;! run: asm --passes merge-blocks
;! exec: calldata=word(1) => revert
;! exec: => revert word(0)
  CALLDATASIZE
  PUSH one
  JUMPI
  PUSH two
  JUMP
one:
  PUSH 0
  PUSH 0
  REVERT
two:
  PUSH 32
  PUSH 0
  REVERT
; ---- asm --passes merge-blocks
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   PUSH L1
;   JUMP
; L0:
;   PUSH 0x0
;   PUSH 0x0
;   REVERT
; L1:
;   PUSH 0x20
;   PUSH 0x0
;   REVERT
