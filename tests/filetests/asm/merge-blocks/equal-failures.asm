; Two blocks that fail in the same way become one.
;! run: asm --passes merge-blocks
;! exec: => return
;! exec: calldata=word(1) => revert
;! exec: calldata=word(0) => revert
  CALLDATASIZE
  PUSH some
  JUMPI
  PUSH 0
  PUSH 0
  RETURN
some:
  PUSH 0
  CALLDATALOAD
  PUSH one
  JUMPI
  PUSH two
  JUMP
one:
  PUSH 0
  PUSH 0
  REVERT
two:
  PUSH 0
  PUSH 0
  REVERT
; ---- asm --passes merge-blocks
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   PUSH 0x0
;   PUSH 0x0
;   RETURN
; L0:
;   PUSH 0x0
;   CALLDATALOAD
;   PUSH L1
;   JUMPI
;   PUSH L1
;   JUMP
; L1:
;   PUSH 0x0
;   PUSH 0x0
;   REVERT
; L2:
;   PUSH 0x0
;   PUSH 0x0
;   REVERT
