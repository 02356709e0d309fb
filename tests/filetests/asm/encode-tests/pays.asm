; Four bytes more than the shift's two are worth 6 gas in each of 200 executions.
;! run: asm --passes encode-tests
;! exec: calldata=word(0xffffffff) => return word(0)
;! exec: calldata=word(0x100000000) => return word(1)
  PUSH 0
  CALLDATALOAD
  PUSH 32
  SHR
  ISZERO
  ISZERO
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  RETURN
; ---- asm --passes encode-tests
;   PUSH 0x0
;   CALLDATALOAD
;   PUSH 0xffffffff
;   LT
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
