; One test alone asks whether there are no high bits, which saves less and pays for short constants only.
;! run: asm --passes encode-tests
;! exec: calldata=word(0xff) => return word(1)
;! exec: calldata=word(0x100) => return word(0)
  PUSH 0
  CALLDATALOAD
  PUSH 8
  SHR
  ISZERO
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  RETURN
; ---- asm --passes encode-tests
;   PUSH 0x0
;   CALLDATALOAD
;   PUSH 0x100
;   GT
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
