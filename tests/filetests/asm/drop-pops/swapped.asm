; The word that is taken need not go below those that are popped.
;! run: asm --passes drop-pops
;! exec: => return word(9)
  PUSH 1
  PUSH 2
  PUSH 3
  PUSH 9
  SWAP3
  POP
  POP
  POP
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  RETURN
; ---- asm --passes drop-pops
;   PUSH 0x9
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
