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
