; A jump to what comes next goes; a branch there only drops its condition.
;! run: asm --passes skip-jumps
;! exec: calldata=word(1) => return word(32)
  CALLDATASIZE
  CALLER
  PUSH one
  JUMPI
one:
  PUSH two
  JUMP
two:
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  RETURN
; ---- asm --passes skip-jumps
;   CALLDATASIZE
;   CALLER
;   POP
; L0:
; L1:
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
