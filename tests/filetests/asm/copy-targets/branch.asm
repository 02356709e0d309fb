; A branch has no room for what it leads to.
;! run: asm --passes copy-targets
;! exec: calldata=word(1) => stop
;! exec: => stop
  CALLDATASIZE
  PUSH end
  JUMPI
  STOP
end:
  STOP
; ---- asm --passes copy-targets
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   STOP
; L0:
;   STOP
