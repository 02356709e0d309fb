; Small code: entries are where they lead.
;! run: asm --passes near-tables
;! exec: calldata=word(16) => stop ; storage[0]=2
  PUSH table(first second)
  PUSH 0
  CALLDATALOAD
  SHR
  PUSH 0xffff
  AND
  JUMP
second:
  PUSH 2
  PUSH 0
  SSTORE
first:
  STOP
; ---- asm --passes near-tables
;   PUSH table(L0 L1)
;   PUSH 0x0
;   CALLDATALOAD
;   SHR
;   PUSH 0xffff
;   AND
;   JUMP
; L1:
;   PUSH 0x2
;   PUSH 0x0
;   SSTORE
; L0:
;   STOP
