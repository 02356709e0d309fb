; What two ways to fail have in common stands once, and is called.
;! run: asm --passes outline
;! exec: => revert word(12345678901234567890)
;! exec: calldata=word(1) => revert word(12345678901234567890),word(12345678901234567890)
  CALLDATASIZE
  PUSH some
  JUMPI
  PUSH 12345678901234567890
  PUSH 0
  MSTORE
  PUSH 12345678901234567890
  PUSH 32
  MSTORE
  PUSH 32
  PUSH 0
  REVERT
some:
  PUSH 12345678901234567890
  PUSH 0
  MSTORE
  PUSH 12345678901234567890
  PUSH 32
  MSTORE
  PUSH 64
  PUSH 0
  REVERT
; ---- asm --passes outline
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   PUSH L2
;   PUSH L1
;   JUMP
; L2:
;   PUSH 0x20
;   PUSH 0x0
;   REVERT
; L0:
;   PUSH L3
;   PUSH L1
;   JUMP
; L3:
;   PUSH 0x40
;   PUSH 0x0
;   REVERT
; L1:
;   PUSH 0xab54a98ceb1f0ad2
;   PUSH 0x0
;   MSTORE
;   PUSH 0xab54a98ceb1f0ad2
;   PUSH 0x20
;   MSTORE
;   JUMP
