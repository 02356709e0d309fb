//! Counters: where they begin, how they step, who else sets them, and the checks on them.

use super::Generator;

/// Loops with a counter that may be anything.
const LOOPS: [&str; 9] = [
    "for { let #n := [0|0|0|1|2|#k|#x] } [lt(#n, #x)|gt(#x, #n)|iszero(eq(#n, #x))|iszero(gt(#n, #x))|slt(#n, #x)|1|lt(#n, not(0))] { #n := add(#n, [1|1|1|1|0|2|32|0x4000000|0x8000000|shl(200, 1)|shl(255, 1)|#k|#w]) } { #F #b }",
    "let #n := [0|0|1|#k|#x] for { } lt(#n, [#x|10|not(0)]) { #n := [inc(#n)|step(#n)|add(#n, 1)|checked_add(#n, #s)] } { #F #b } #o",
    "for { let #n := [0|0|1|#k] } 1 { } { #F if #q { #n := add(#n, [#s|#k|#w]) continue } #b #n := add(#n, 1) }",
    "for { let #n := [0|0|1|#k] } lt(#n, #x) { #n := add(#n, 1) } { #F if #t { #n := [mul(#n, 3)|mul(#n, #n)|sub(#n, 1)|sub(#n, 2)|sub(#n, #s)|calldataload(0x60)|#x|shl(64, #n)|not(#n)|mload(a)|sload(#s)|#k|pass(#n)|inc(#w)] #o } #b #o }",
    "let #n := [0|0|#k|#w] for { } lt(#n, #x) { #n := add(#n, 1) } { #F for { } lt(#n, #x) { #n := add(#n, [1|#s|#k]) } { #F #b } #o } #o",
    "let #n := [0|0|#k] for { let #m := [0|#n|#k] } lt(#m, #x) { #m := add(#m, [1|#n]) } { #F #n := add(#n, [1|#m|32]) #o #b } r := mix(r, lt(#n, #k))",
    "for { let #n := [0|#k|#w] let #m := [0|#k|#w] } lt(#n, #x) { #n := add(#n, 1) } { #F #o if #t { let mid_#n := #n #n := #m #m := mid_#n } #o }",
    "#u := [0|#k] for { } [1|lt(#u, #x)] { #u := add(#u, [1|#k]) } { #F #b #o if [#q|#t] { [break|#u := #x continue|#e] } } #o",
    "#u := count([0|0|#s|#k|#w], #s, [1|1|#s|#k])",
];

/// Checks of a counter or another word that should stay small.
const CHECKS: [&str; 14] = [
    "let #n := add(#1, [1|1|#s|32|#k]) if [gt(#1, #n)|lt(#n, #1)|iszero(#n)] { #e } #o",
    "if eq(#1, not(0)) { #e } let #n := add(#1, 1) #o",
    "if gt(#1, [not(1)|not(31)|sub(not(0), #s)|0xffffffff|0xffffffffffffffff|0x4000000000000000|#k]) { #e } #o",
    "if gt(#1, 0xffffffffffffffff) { r := mix(r, 5) }",
    "if shr([64|63|62|35|128|255], #1) { r := mix(r, 6) }",
    "if slt(#1, 0) { r := mix(r, 7) } #o",
    "let #n := sub(#1, [1|#s|#w]) if gt(#n, #1) { #e } #o",
    "let #n := mul(#1, [32|2|#s|#k]) if iszero(or(iszero(#1), eq(div(#n, #1), 32))) { #e } #o",
    "let #n := shl(5, #1) if xor(shr(5, #n), #1) { [#e|r := mix(r, 8)] } #o",
    "let #n := add(shl(5, #1), [32|63|#s]) if lt(#n, #1) { [#e|r := mix(r, 8)] } #o",
    "let #n := inc(#1) #o",
    "let #n := and(add(#1, 31), not(31)) if or(gt(#n, 0xffffffffffffffff), lt(#n, #1)) { #e } #o",
    "let #n := signextend([0|3|7|31], #1) r := mix(r, eq(#n, #1))",
    "let #n := and(#1, [0xff|0xffffffff|0xffffffffffffffff]) r := mix(r, eq(#n, #1)) #o",
];

impl Generator<'_> {
    pub(super) fn counter(&mut self) -> String {
        match self.random.below(10) {
            0..5 if self.depth < 2 => self.one_of(&LOOPS),
            5 => self.order(),
            _ => self.declare(&CHECKS),
        }
    }
}
