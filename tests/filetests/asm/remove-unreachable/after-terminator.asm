; Code between a terminator and the next label that is used goes.
;! run: asm --passes remove-unreachable
;! exec: => stop
  PUSH out
  JUMP
  CALLER
  POP
unused:
  PUSH 1
  POP
out:
  STOP
; ---- asm --passes remove-unreachable
;   PUSH L0
;   JUMP
; L0:
;   STOP
