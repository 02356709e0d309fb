; Every error of a text is reported with its line.
  PUSHX 1                ; error: unknown instruction `PUSHX`
  PUSH1 256              ; error: `0x100` does not fit in the 1 bytes of `PUSH1`
  PUSH nowhere           ; error: label `nowhere` is not defined in this object
  DUPN 3                 ; error: `DUPN` is no instruction of osaka
again:
again:                   ; error: label `again` is defined twice
