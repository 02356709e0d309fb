; Code that runs off its end stops there; moved, it says so.
;! run: asm --passes place-segments
;! exec: => stop
  PUSH last
  JUMP
other:
  PUSH 0
  PUSH 0
  RETURN
last:
  CALLER
  POP
; ---- asm --passes place-segments
; L0:
;   CALLER
;   POP
;   STOP
; L1:
;   PUSH 0x0
;   PUSH 0x0
;   RETURN
