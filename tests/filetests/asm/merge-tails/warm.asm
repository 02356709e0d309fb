; Where execution goes on, a jump costs gas at each run: only more bytes pay for it.
;! run: asm --passes merge-tails
;! exec: calldata=word(1) => return word(1)
;! exec: => return word(2)
  CALLDATASIZE
  PUSH one
  JUMPI
  PUSH 2
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  RETURN
one:
  PUSH 1
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  RETURN
; ---- asm --passes merge-tails
;   CALLDATASIZE
;   PUSH L0
;   JUMPI
;   PUSH 0x2
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
; L0:
;   PUSH 0x1
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
