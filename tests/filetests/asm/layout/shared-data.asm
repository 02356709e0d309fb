; Sub-objects and data of equal bytes lie in the code once; what nothing refers to is left out.
;! run: asm
object "outer" {
    PUSH offset("sub")
    PUSH offset("data")
    PUSH size("data")
    PUSH size("outer")
    STOP
  data "data" hex"3000"
  data "unused" hex"ffff"
  data ".metadata" hex"a1"
  object "sub" {
      ADDRESS
      STOP
  }
}
; ---- asm
; 600960096002600c003000a1
