; What is taken later, by any way, has to come up; code that returns to who knows where may take anything.
;! run: asm --passes drop-pops
;! exec: calldata=word(0) => return word(5)
;! exec: calldata=word(1) => stop
  PUSH 5
  PUSH 6
  PUSH 0
  CALLDATALOAD
  PUSH away
  JUMPI
  POP
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  RETURN
away:
  PUSH back
  CALLER
  POP
  JUMP
back:
  STOP
; ---- asm --passes drop-pops
;   PUSH 0x5
;   PUSH 0x6
;   PUSH 0x0
;   CALLDATALOAD
;   PUSH L0
;   JUMPI
;   POP
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
; L0:
;   PUSH L1
;   CALLER
;   POP
;   JUMP
; L1:
;   STOP
