; Before Shanghai the shortest push of zero has two bytes.
;! fork: paris
;! run: asm
  PUSH 0
  PUSH 0x100
  STOP
; ---- asm
; 600061010000
