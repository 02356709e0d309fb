//! The order of words: what branches say of them, how they are computed, and tests of both behind it.

use super::Generator;

/// Words made of two others, with tests of them.
const DERIVED: [&str; 22] = [
    "let #n := sub(#1, #2) #o #o",
    "let #n := add(#1, #2) #o #o",
    "let #n := add(#1, #s) #o #o",
    "let #n := add(#1, 1) #o #o",
    "let #n := sub(#1, [1|1|#s]) #o #o",
    "let #n := mod(#1, #2) #o #o",
    "let #n := div(#1, #2) #o #o",
    "let #n := [smod|sdiv](#1, #2) #o #o",
    "let #n := and(#1, #2) #o #o",
    "let #n := and(#1, [not(31)|0xff|#k]) #o",
    "let #n := or(#1, #2) #o #o",
    "let #n := xor(#1, #2) #o #o",
    "let #n := [shr|shl|sar](#s, #1) #o #o",
    "let #n := [shr|shl](#2, #1) #o #o",
    "let #n := mul(#1, #2) #o #o",
    "let #n := mul(#1, [0|1|2|3]) #o #o",
    "let #n := not(#1) #o",
    "let #n := #2 if #q { #n := #1 } #o #o",
    "let #n := #2 if lt(#1, #2) { #n := #1 } #o #o",
    "let #n := [min|max](#1, #2) #o #o",
    "let #n := and(add(#1, 31), not(31)) #o #o",
    "let #n := [addmod(#1, #2, #w)|exp(#1, #s)|byte(#s, #1)|signextend(0, #1)] #o",
];

/// Checked as Solidity checks.
const CHECKED: [&str; 14] = [
    "let #n := add(#1, #2) if [gt(#1, #n)|lt(#n, #1)|gt(#2, #n)|lt(#n, #2)] { #e } #o #o",
    "let #n := add(#1, [1|#s|#k]) if [gt(#1, #n)|lt(#n, #1)] { #e } #o #o",
    "if gt(#1, [not(#2)|sub(not(0), #2)]) { #e } let #n := add(#1, #2) #o #o",
    "if eq(#1, not(0)) { #e } let #n := add(#1, 1) #o #o",
    "if iszero(lt(#1, #2)) { #e } let #n := add(#1, 1) #o #o",
    "let #n := sub(#1, #2) if [gt(#n, #1)|lt(#1, #n)|lt(#1, #2)|gt(#2, #1)] { #e } #o #o",
    "if [lt(#1, #2)|gt(#2, #1)|iszero(lt(#2, #1))|iszero(gt(#1, #2))] { #e } let #n := sub(#1, #2) #o #o",
    "if iszero(#1) { #e } let #n := sub(#1, 1) #o #o",
    "let #n := mul(#1, #2) if iszero(or(iszero(#1), eq(#2, div(#n, #1)))) { #e } #o #o",
    "if and(gt(#2, 0), gt(#1, div(not(0), #2))) { #e } let #n := mul(#1, #2) #o #o",
    "if iszero(#2) { #e } let #n := [mod|div|mod](#1, #2) #o #o",
    "if iszero(#2) { #e } let #n := sub(#1, mod(#1, #2)) #o #o",
    "let #n := [checked_add|checked_sub|checked_mul](#1, #2) #o #o",
    "let #n := add(#1, 32) if or(gt(#n, 0xffffffffffffffff), lt(#n, #1)) { #e } #o #o",
];

/// Ways that part and join, and words that change on one of them.
const BRANCHES: [&str; 20] = [
    "if #q { #o #o } #o",
    "switch lt(#1, #2) case 0 { #o #o } default { #o #o } #o",
    "switch #q case 0 { #o } default { #o #b } #o",
    "if lt(#1, #2) { #o #b #o }",
    "if iszero(lt(#1, #2)) { #e } #o #o",
    "if iszero([gt|eq](#1, #2)) { #e } #o #o",
    "if #q { #e } #o #o",
    "if or([lt|gt](#1, #2), #t) { #e } #o",
    "if and([lt|gt](#1, #2), #t) { #o #b }",
    "if lt(#1, #2) { if lt(#2, #w) { #o #o #b } #o }",
    "if lt(#u, #1) { #u := add(#u, [1|1|1|#s|#1]) #o } #o",
    "if lt(#1, #u) { #u := sub(#u, [1|#s|#1]) #o } #o",
    "if [lt|gt](#u, #1) { if #t { #u := #x } #o }",
    "if #q { #u := #1 } #o #o",
    "switch #t case 0 { #u := #1 } default { #u := #2 } #o #o",
    "if #t #b",
    "switch #t case 0 #b default #b",
    "switch #1 case 0 { #o } case 1 { #o } default { #o #b } #o",
    "if eq(#1, #2) { #o #b } #o",
    "#v := #x",
];

/// Loops on whose words their tests tell.
const LOOPS: [&str; 10] = [
    "for { } lt(#u, #1) { #u := add(#u, [1|1|1|#s|#2]) } { #F #o #b #o } #o",
    "for { } gt(#u, #1) { #u := sub(#u, [1|1|#s|#2]) } { #F #o #b #o } #o",
    "for { } 1 { #u := add(#u, 1) } { #F if iszero([lt|gt](#u, #1)) { break } #o #b } #o",
    "for { let #n := #1 } lt(#n, #u) { #n := add(#n, [1|1|#s]) } { #F #o #b if #t { #u := #x } #o }",
    "for { let #n := #u } #n { #n := sub(#n, 1) } { #F #o #b #o }",
    "for { let #n := #u } gt(#n, #1) { } { #F #n := sub(#n, [1|#s]) #o #b }",
    "for { let #n := 0 let #m := #u } lt(#n, #m) { } { #F let mid_#n := [shr(1, add(#n, #m))|div(add(#n, #m), 2)|add(#n, shr(1, sub(#m, #n)))] r := mix(r, lt(mid_#n, #m)) r := mix(r, lt(mid_#n, #n)) switch [lt|gt](mid_#n, #1) case 0 { #m := [mid_#n|mid_#n|sub(mid_#n, 1)] } default { #n := add(mid_#n, [1|1|0]) } #o }",
    "for { let #n := #1 let #m := #2 } #n { } { #F let rest_#n := mod(#m, #n) r := mix(r, lt(rest_#n, #n)) #m := #n #n := rest_#n #o }",
    "for { let #n := 0 let #m := #1 } lt(#n, #2) { #n := add(#n, 1) } { #F #o #m := [#n|#x] #o }",
    "for { let #n := #1 } iszero(lt(#n, #2)) { #n := sub(#n, #2) } { #F #o #b }",
];

impl Generator<'_> {
    pub(super) fn order(&mut self) -> String {
        match self.random.below(10) {
            0..3 => self.declare(&DERIVED),
            3 | 4 => self.declare(&CHECKED),
            5..9 => self.one_of(&BRANCHES),
            _ if self.depth < 2 => self.one_of(&LOOPS),
            _ => self.declare(&DERIVED),
        }
    }
}
