; Operands of `ADD` need no exchange, two tests against zero no second, constants no computation.
;! run: asm --passes peephole
;! exec: calldata=word(5) => return word(8)
;! exec: calldata=word(0) => stop
  PUSH 0
  CALLDATALOAD
  DUP1
  ISZERO
  ISZERO
  PUSH go
  JUMPI
  STOP
go:
  PUSH 1
  PUSH 2
  ADD
  SWAP1
  ADD
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  RETURN
; ---- asm --passes peephole
;   PUSH 0x0
;   CALLDATALOAD
;   DUP1
;   PUSH L0
;   JUMPI
;   STOP
; L0:
;   PUSH 0x3
;   ADD
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
