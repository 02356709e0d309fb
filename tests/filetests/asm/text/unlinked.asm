; The placeholder of a library stays what it is.
;! run: asm
PUSH library("__$c5d2460186f7233c927e7db2dcc703c0e5$__") BALANCE POP STOP
; ---- asm
; 73__$c5d2460186f7233c927e7db2dcc703c0e5$__315000
