; Where execution goes on, a call costs more gas than its bytes are worth.
;! run: asm --passes outline
;! exec: => return word(12345678901234567890)
;! exec: calldata=word(1) => return word(12345678901234567890),word(12345678901234567890)
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
  RETURN
some:
  PUSH 12345678901234567890
  PUSH 0
  MSTORE
  PUSH 12345678901234567890
  PUSH 32
  MSTORE
  PUSH 64
  PUSH 0
  RETURN
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
;   RETURN
; L0:
;   PUSH 0xab54a98ceb1f0ad2
;   PUSH 0x0
;   MSTORE
;   PUSH 0xab54a98ceb1f0ad2
;   PUSH 0x20
;   MSTORE
;   PUSH 0x40
;   PUSH 0x0
;   RETURN
