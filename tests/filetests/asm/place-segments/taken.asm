; A loop cannot follow itself: its jump stays.
;! run: asm --passes place-segments
;! exec: => stop
  GAS
again:
  PUSH 1
  SHR
  DUP1
  PUSH more
  JUMPI
  STOP
more:
  PUSH again
  JUMP
; ---- asm --passes place-segments
;   GAS
; L0:
;   PUSH 0x1
;   SHR
;   DUP1
;   PUSH L1
;   JUMPI
;   STOP
; L1:
;   PUSH L0
;   JUMP
