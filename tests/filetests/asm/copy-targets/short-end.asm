; A jump to an end that is as short as the jump becomes the end.
;! run: asm --passes copy-targets
;! exec: calldata=word(1) => stop
;! exec: => stop
  CALLDATASIZE
  PUSH some
  JUMPI
  PUSH end
  JUMP
some:
  CALLER
  POP
end:
  STOP
; ---- asm --passes copy-targets
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   STOP
; L0:
;   CALLER
;   POP
; L1:
;   STOP
