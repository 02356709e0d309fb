; Before Constantinople there are no shifts.
;! fork: byzantium
;! run: asm --passes encode-constants
;! exec: => return word(0xffffffffffffffffffffffffffffffffffffffff)
  PUSH 0xffffffffffffffffffffffffffffffffffffffff
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  RETURN
; ---- asm --passes encode-constants
;   PUSH 0xffffffffffffffffffffffffffffffffffffffff
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
