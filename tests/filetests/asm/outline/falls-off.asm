; Code that runs off its end has no place for copies behind it.
;! run: asm --passes outline
;! exec: => revert word(12345678901234567890)
;! exec: calldata=word(1) => stop
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
; ---- asm --passes outline
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   PUSH 0xab54a98ceb1f0ad2
;   PUSH 0x0
;   MSTORE
;   PUSH 0xab54a98ceb1f0ad2
;   PUSH 0x20
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   REVERT
; L0:
;   PUSH 0xab54a98ceb1f0ad2
;   PUSH 0x0
;   MSTORE
;   PUSH 0xab54a98ceb1f0ad2
;   PUSH 0x20
;   MSTORE
