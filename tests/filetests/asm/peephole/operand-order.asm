; `SUB` and `LT` tell their operands apart: the first keeps its exchange, the second becomes `GT`.
;! run: asm --passes peephole
;! exec: calldata=word(5) => return word(2)
  PUSH 0
  CALLDATALOAD
  CALLDATASIZE
  SWAP1
  LT
  PUSH 0
  CALLDATALOAD
  PUSH 2
  SWAP1
  SUB
  SUB
  PUSH 0
  MSTORE
  PUSH 32
  PUSH 0
  RETURN
; ---- asm --passes peephole
;   PUSH 0x0
;   CALLDATALOAD
;   CALLDATASIZE
;   GT
;   PUSH 0x0
;   CALLDATALOAD
;   PUSH 0x2
;   SWAP1
;   SUB
;   SUB
;   PUSH 0x0
;   MSTORE
;   PUSH 0x20
;   PUSH 0x0
;   RETURN
