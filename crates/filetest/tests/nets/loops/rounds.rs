//! Rounds: words that each round shifts, masks or divides; what is the same in all of them, for one use or several;
//! counting down to zero or past it; bits of a word asked for in several ways.

use super::Generator;

const LOOPS: [&str; 9] = [
    "for { let #n := [0x8000|#k|#x|not(0)|shl(255, 1)] } [sgt(#n, 0)|gt(#n, 0)|#n|iszero(slt(#n, 1))|sgt(#n, [1|#s|#k])] { #n := [sar(1, #n)|sar([2|#s], #n)|shr(1, #n)|div(#n, [2|3|#s])|sdiv(#n, [2|#s])|and(#n, sub(#n, 1))|mod(#n, [7|#x])] } { #F #o #b }",
    "for { let #n := [0|1|and(#x, 0xff)|#k] } lt(#n, [#x|200|#k]) { #n := and(add(#n, [1|#s]), [0xff|0xffff|0xffffffff|#k]) } { #F r := mix(r, and(#n, [0xff|0xffff|0xffffffffffffffff])) r := mix(r, [slt(#n, 0)|gt(#n, 0xff)|shr(8, #n)|eq(#n, and(#n, 0xff))]) #b }",
    "for { let #n := [and(#x, not(31))|0x60|#k] let #m := #x } [1|#n] { } { #F r := mix(r, #n) #n := [sub(#n, 32)|add(#n, not(31))|sub(#n, #s)] r := mix(r, and(#n, 31)) if [iszero(#n)|iszero(sub(#n, #m))|eq(#n, #m)|xor(#n, 32)|iszero(xor(#n, #s))|slt(#n, 0)] { [break|break|#e] } #b }",
    "for { let #n := 0 } lt(#n, [3|#s|#x]) { #n := add(#n, 1) } { #F let p := mul(v0, v1) let q := add(p, [v1|#k]) r := mix(r, [p|add(p, #n)|and(p, 3)]) r := mix(r, [and(p, 3)|q|add(q, #n)|xor(q, p)]) #o }",
    "for { let #n := 0 } lt(#n, [3|#s]) { #n := add(#n, 1) } { #F let p := [mul(v0, v0)|add(v0, v1)|shl(v1, v0)|not(v2)] for { let #m := 0 } lt(#m, [2|#n]) { #m := add(#m, 1) } { #F let q := [add(p, #n)|mul(p, v1)|and(p, #k)|sub(#n, v0)] r := mix(r, [q|add(q, #m)|p]) r := mix(r, xor([p|q], #m)) } [v0 := add(v0, 1)|v1 := #n|r := mix(r, p)] }",
    "let #n := #x let #m := [#x|#n|#k] for { } 1 { } { #F let d := [sub(#n, #m)|sub(#m, #n)|xor(#m, #n)|add(#n, sub(0, #s))] if [eq(#n, #m)|eq(#m, #n)|eq(#n, #s)|iszero(d)] { [break|#e] } r := mix(r, d) [#n := d|#m := d|#n := shr(1, #n) #m := shr(1, #m)|#n := sub(#n, 1)] #o }",
    "{ let #n := [#x|calldataload([0x61|0x81|0x95])|calldataload(0x81)|tload(#s)] let name := shr([224|#s|160], #n) let bits := shr([236|225|255|#s], #n) switch [and(bits, 7)|bits|and(name, 3)] case 0 { r := mix(r, name) } case 1 { r := mix(r, bits) } case 2 { r := mix(r, xor(name, bits)) } default { r := mix(r, [name|add(name, bits)]) } }",
    "r := mix(r, [iszero(shr([8|31|32|33|64|128|255], #x))|iszero(iszero(shr([1|32|40|64|128|200], #x)))|gt(#x, [0xffffffff|0xffffffffffffffff|#k])|lt(#x, [0x100000000|0x10000000000000000|#k])|shl(7, iszero(iszero(shr(128, #x))))|lt(sub(shl([32|64], 1), 1), #x)])",
    "{ let #n := #x let #m := 0 for { } [gt(#n, 1)|#n|sgt(#n, 0)] { #n := shr(1, #n) } { #F #m := add(#m, [1|and(#n, 1)]) #b } r := mix(r, #m) let high := shl(7, gt(v0, 0xffffffffffffffffffffffffffffffff)) high := or(high, shl(6, gt(shr(high, v0), 0xffffffffffffffff))) high := or(high, shl(5, gt(shr(high, v0), 0xffffffff))) r := mix(r, high) }",
];

impl Generator<'_> {
    pub(super) fn round(&mut self) -> String {
        if self.depth < 2 { self.one_of(&LOOPS) } else { self.order() }
    }
}
