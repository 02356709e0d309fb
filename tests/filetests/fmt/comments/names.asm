; Labels keep their names, statements their order, and all comments stay.
;! run: fmt
; top
object "a" { ; a
    // the data
    data "d" hex"0A" ; ten
  again: push again jump ; for ever
    push // on the next line but one
    ; operand
    1 jump [out]
  ; end
}
; ---- fmt
; ; top
; object "a" { ; a
;   // the data
;   data "d" hex"0a" ; ten
;   again:
;     PUSH again
;     JUMP ; for ever
;     PUSH // on the next line but one
;       ; operand
;       0x1
;     JUMP [out]
;     ; end
; }
