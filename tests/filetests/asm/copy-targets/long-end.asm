; An end of many bytes is jumped to.
;! run: asm --passes copy-targets
;! exec: calldata=word(1) => return word(7)
;! exec: => return word(7)
  CALLDATASIZE
  PUSH some
  JUMPI
  PUSH end
  JUMP
some:
  CALLER
  POP
end:
  PUSH 7
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  PUSH 0
  POP
  RETURN
; ---- asm --passes copy-targets
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   PUSH L1
;   JUMP
; L0:
;   CALLER
;   POP
; L1:
;   PUSH 0x7
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   PUSH 0x0
;   POP
;   RETURN
