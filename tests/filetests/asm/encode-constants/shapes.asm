; Masks, selectors and complements of short words are computed from few bytes.
;! run: asm --passes encode-constants
;! exec: => return word(0xffffffffffffffffffffffffffffffffffffffff),word(0x1234567800000000000000000000000000000000000000000000000000000000)
  PUSH 0xffffffffffffffffffffffffffffffffffffffff
  PUSH 0
  MSTORE
  PUSH 0x1234567800000000000000000000000000000000000000000000000000000000
  PUSH 32
  MSTORE
  PUSH 64
  PUSH 0
  RETURN
; ---- asm --passes encode-constants
;   PUSH 0x0
;   NOT
;   PUSH 0x60
;   SHR
;   PUSH 0x0
;   MSTORE
;   PUSH 0x2468acf
;   PUSH 0xe3
;   SHL
;   PUSH 0x20
;   MSTORE
;   PUSH 0x40
;   PUSH 0x0
;   RETURN
