; A long mask costs more than it saves, and so does any where execution is bound to fail; a shift without tests is
; another word.
;! run: asm --passes encode-tests
;! exec: calldata=word(5) => return word(1)
  PUSH 0
  CALLDATALOAD
  PUSH 200
  SHR
  ISZERO
  PUSH fails
  JUMPI
  PUSH 0
  CALLDATALOAD
  PUSH 32
  SHR
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  RETURN
fails:
  PUSH 1
  PUSH 0
  MSTORE
  PUSH 0
  CALLDATALOAD
  PUSH 255
  SHR
  ISZERO
  ISZERO
  POP
  PUSH 32
  PUSH 0
  RETURN
; ---- asm --passes encode-tests
;   PUSH 0x0
;   CALLDATALOAD
;   PUSH 0xc8
;   SHR
;   ISZERO
;   PUSH L0
;   JUMPI
;   PUSH 0x0
;   CALLDATALOAD
;   PUSH 0x20
;   SHR
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
; L0:
;   PUSH 0x1
;   PUSH 0x0
;   MSTORE
;   PUSH 0x0
;   CALLDATALOAD
;   PUSH 0xff
;   SHR
;   ISZERO
;   ISZERO
;   POP
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
