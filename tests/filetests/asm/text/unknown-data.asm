; A name that is no data segment or sub-object is reported when the layout is made.
;! run: asm
  PUSH offset("nothing")
  STOP
; ---- asm
; exit 1
; error: `nothing` is no data segment or sub-object of the object
;
