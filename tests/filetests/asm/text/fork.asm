; Instructions that the fork lacks are errors; `OP` writes any byte.
;! fork: london
;! run: asm
  PUSH0                  ; error: `PUSH0` is no instruction of london
  MCOPY                  ; error: `MCOPY` is no instruction of london
  OP 0x5e
