; Blocks that only jump to each other are reached by nobody.
;! run: asm --passes remove-unreachable
;! exec: => stop
  STOP
one:
  PUSH two
  JUMP
two:
  PUSH one
  JUMP
; ---- asm --passes remove-unreachable
;   STOP
