; An operation that the fork does not have is not used: before Istanbul there is no `SELFBALANCE`.
;! fork: petersburg
;! run: asm --passes peephole
;! exec: => return word(0)
  ADDRESS
  BALANCE
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  RETURN
; ---- asm --passes peephole
;   ADDRESS
;   BALANCE
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
