; A word of few bytes, or without a pattern, is pushed as it is.
;! run: asm --passes encode-constants
;! exec: => return word(0x123456),word(0x8f3a61c2d94be507f16a2b8c3d9e4f50617283940a1b2c3d4e5f60718293a4b5)
  PUSH 0x123456
  PUSH 0
  MSTORE
  PUSH 0x8f3a61c2d94be507f16a2b8c3d9e4f50617283940a1b2c3d4e5f60718293a4b5
  PUSH 32
  MSTORE
  PUSH 64
  PUSH 0
  RETURN
; ---- asm --passes encode-constants
;   PUSH 0x123456
;   PUSH 0x0
;   MSTORE
;   PUSH 0x8f3a61c2d94be507f16a2b8c3d9e4f50617283940a1b2c3d4e5f60718293a4b5
;   PUSH 0x20
;   MSTORE
;   PUSH 0x40
;   PUSH 0x0
;   RETURN
