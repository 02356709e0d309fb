; Labels take one byte where they fit; a label at 0 takes none.
;! run: asm
;! exec: => stop; gas<=21100
start:
  CALLDATASIZE
  PUSH start
  JUMPI
  PUSH end
  JUMP
  INVALID
end:
  STOP
; ---- asm
; 5b365f57600856fe5b00
