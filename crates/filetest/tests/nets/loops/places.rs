//! Words of memory and storage, and loops that write beside them or on them.

use super::Generator;

/// Offsets that touch a word, or do not by a byte.
const OFFSETS: [&str; 14] = [
    "0", "1", "31", "32", "32", "33", "64", "96", "not(0)", "not(30)", "not(31)", "not(32)", "not(63)",
    "0x3f",
];

const LOOPS: [&str; 12] = [
    "for { let #n := [0|0|0|1|2|not(0)|not(1)|not(3)] } slt(#n, [1|2|5|8|and(#w, 7)]) { #n := add(#n, [1|1|2|3]) } { #F #c }",
    "for { let #n := [0|0|0|1|2] } lt(#n, [1|2|5|8|and(#w, 7)|#w]) { #n := add(#n, [1|1|1|2|3]) } { #F #c }",
    "for { let #n := 0 } lt(#n, mload(#a)) { #n := add(#n, 1) } { #F #c r := mix(r, mload(#a)) }",
    "for { let #n := 0 let #m := mload(#a) } lt(#n, #m) { #n := add(#n, 1) } { #F #c if iszero(lt(#n, mload(#a))) { #e } r := mix(r, mload(#a)) }",
    "for { let #n := 0 } lt(#n, 5) { #n := add(#n, 1) } { #F r := mix(r, mload(#a)) mstore(add(add(#a, [32|32|32|31|0|1|64]), [shl(5, #n)|mul(32, #n)|mul(#n, 31)|mul(#n, 33)|#n]), #x) r := mix(r, mload(#a)) }",
    "for { let #n := [0|not(0)|not(1)|1] } slt(#n, 5) { #n := add(#n, 1) } { #F mstore(add(add(#a, [32|32|31|64|96]), shl(5, #n)), #x) r := mix(r, mload(#a)) }",
    "for { let #n := 0 } lt(#n, 6) { #n := add(#n, 1) } { #F mstore(sub(add(#a, [32|0xc0|0xe0|0x100]), shl(5, #n)), #x) r := mix(r, mload(#a)) }",
    "for { let #n := 0 } lt(#n, 6) { #n := add(#n, 1) } { #F if eq(#n, [0|1|3|and(#w, 7)]) { mstore(#a, #x) } mstore(add(add(#a, 32), shl(5, #n)), #x) if lt(#n, mload(#a)) { r := mix(r, #n) } }",
    "for { let #n := add(#a, [0|32|32|not(31)|31]) let #m := add(#n, [0x80|0x40|0x20]) } lt(#n, #m) { #n := add(#n, [32|32|32|31|1|16]) } { #F [mstore(#n, #x)|mstore8(#n, #x)|mstore(#n, mload(#a))] r := mix(r, mload(#a)) }",
    "for { let #n := 0 } lt(#n, 4) { #n := add(#n, 1) } { #F for { let #m := [0|0|#n|sub(0, #n)] } slt(#m, 3) { #m := add(#m, 1) } { #F mstore(add(add(#a, [32|32|0|64]), shl(5, #m)), #x) } r := mix(r, mload(#a)) }",
    "for { let #n := 0 } lt(#n, 4) { #n := add(#n, 1) } { #F write(add(#a, [32|32|1|0]), #n, #x) r := mix(r, mload(#a)) }",
    "for { let #n := [0|1|4] } lt(#n, 5) { #n := add(#n, 1) } { #F [sstore|tstore]([add(100, #n)|add(#w, #n)|sub(104, #n)|add(not(1), #n)|#n], #x) r := mix(r, [sload|tload]([100|104|0|#w|not(0)])) #c }",
];

/// Word by word: from call data or memory to where it may overlap what it comes from, or the word that is asked for.
const COPIES: [&str; 8] = [
    "for { let #n := [0|0|32] } lt(#n, [0|32|64|96|0x50|min(#w, 0xe0)|and(#w, 0x7f)]) { #n := add(#n, [32|32|32|31|64|1]) } { #F mstore(add([#a|add(#a, 32)|add(#a, 31)|b|a|add(b, 1)], #n), [calldataload(#n)|calldataload(add(#s, #n))|calldataload(add(#w, #n))|mload(add(#a, #n))|mload(add(b, #n))|mload(add(a, add(32, #n)))]) [|r := mix(r, mload(#a))|if #t { #e }] } r := mix(r, mload(#a))",
    "for { let #n := #a let #m := add(#n, [0|32|64|96|0x50|and(#w, 0x7f)]) let from_#n := [0|4|32|#w] } lt(#n, #m) { #n := add(#n, 32) from_#n := add(from_#n, [32|32|31]) } { #F mstore(#n, calldataload(from_#n)) [|r := mix(r, mload(a))] }",
    "for { let #n := 0 } lt(#n, mload(#a)) { #n := add(#n, 1) } { #F mstore(add(add([#a|b|a], [32|32|0|64]), shl(5, #n)), [calldataload(shl(5, #n))|mload(add(add([#a|b|a], 32), shl(5, #n)))|calldataload(add(#w, mul(32, #n)))]) } r := mix(r, mload(#a))",
    "copy(#p, #p, #l) r := mix(r, mload(#a))",
    "copy(add(#a, [32|31|1|0]), #a, #l) r := mix(r, mload(#a))",
    "copy(#a, add(#a, [32|31|1|0]), [#l|0x80]) r := mix(r, mload(#a))",
    "copy_data(#p, [0|4|#w], #l) r := mix(r, mload(#a))",
    "copy_data(add(#a, [32|32|31|0]), [0|#s|calldatasize()], #l) r := mix(r, mload(#a)) copy_data(#p, #s, [32|64])",
];

const WRITES: [&str; 14] = [
    "mstore(#p, #x)",
    "mstore(#p, #x)",
    "mstore(#p, #x) r := mix(r, mload(#a))",
    "mstore8(#p, #x)",
    "calldatacopy(#p, [0|#s|calldatasize()|#w], #l)",
    "calldatacopy(add(#a, [32|32|31|1|0]), 0, #l) r := mix(r, mload(#a))",
    "codecopy(#p, codesize(), #l)",
    "mcopy(#p, #p, #l)",
    "mcopy(add(#a, [32|32|31|0]), #p, #l) r := mix(r, mload(#a))",
    "returndatacopy(#p, 0, returndatasize())",
    "pop(staticcall(gas(), 4, #p, #l, #p, #l))",
    "write(#a, #i, #x)",
    "if #t { mstore(#a, #x) }",
    "if lt(#i, mload(#a)) { mstore(add(add(#a, 32), shl(5, #i)), #x) }",
];

const READS: [&str; 10] = [
    "r := mix(r, mload(#a))",
    "r := mix(r, mload(#a))",
    "r := mix(r, mload(#p))",
    "if [lt(#i, mload(#a))|gt(mload(#a), #w)|eq(mload(#a), #w)] { r := mix(r, #s) }",
    "if iszero(lt(#i, mload(#a))) { #e }",
    "mstore(#a, #x) #b r := mix(r, mload(#a))",
    "mstore(#a, #1) #b r := mix(r, eq(mload(#a), #1))",
    "r := mix(r, keccak256(#a, [32|64|31]))",
    "log1(#a, 64, r)",
    "#v := [mload(#a)|mload(#p)]",
];

const STATE: [&str; 14] = [
    "sstore([#s|100|104|#w|add(100, #i)|not(0)], #x)",
    "tstore([#s|100|104|#w|add(100, #i)|not(0)], #x)",
    "r := mix(r, [sload|tload]([#s|100|104|#w|add(100, #i)|not(0)]))",
    "sstore(#1, #2) #b r := mix(r, eq(sload(#1), #2))",
    "tstore(100, #x) #b r := mix(r, tload(100))",
    "sstore(mapped(#w, [0|1]), #x)",
    "sstore(add(listed([0|1]), #i), #x)",
    "r := mix(r, sload([mapped(#w, [0|1])|add(listed([0|1]), #i)|listed(0)]))",
    "mstore(0, #1) mstore(32, #s) #b r := mix(r, keccak256(0, 64))",
    "mstore(0, #1) mstore([32|31|1], #s) if lt(#1, 5) { mstore([0|1|31|32], #x) } r := mix(r, keccak256(0, 64))",
    "mstore(shl(5, and(#w, 1)), #x) r := mix(r, mload([0|32]))",
    "for { let #n := 0 } lt(#n, 4) { #n := add(#n, 1) } { #F mstore(0, [#n|#w]) [mstore(32, #s)|] let #m := keccak256(0, 64) sstore(#m, add(sload(#m), 1)) r := mix(r, sload([#m|mapped(1, 0)])) #c }",
    "mstore8([0|31|32|63|and(#w, 63)], #x)",
    "pop(call(gas(), [0xe1|0xe1|0xe3], 0, 0, [0|32|64], #p, #l))",
];

/// The same base, or one that may be.
const BASES: [&str; 9] = [
    "let #n := sub(add(#a, 32), 32)",
    "let #n := add(#a, [32|64|31|not(31)])",
    "let #n := add(#a, and(#w, [32|96|1|31]))",
    "let #n := add(#a, shl(5, iszero(#w)))",
    "let #n := pass(#a)",
    "let #n := #a if #t { #n := [a|b] }",
    "let #n := mload(#K)",
    "mstore(#K, [a|b]) let #n := mload(#K)",
    "let #n := add(sub(#a, a), [a|b|a])",
];

impl Generator<'_> {
    pub(super) fn place(&mut self) -> String {
        match self.random.below(16) {
            0..5 if self.depth < 2 => self.one_of(&LOOPS),
            5 => self.one_of(&COPIES),
            6 | 7 => self.one_of(&WRITES),
            8..11 => self.one_of(&READS),
            11..14 => self.one_of(&STATE),
            14 if self.bases.len() < 4 => self.declare_base(&BASES),
            _ => match self.small.last().cloned() {
                // Further round in some rounds only; not too far.
                Some(counter) => self
                    .fill("if [lt(#C, [4|8])|and(lt(#C, 8), #t)] { #C := add(#C, [1|2|3]) }")
                    .replace("#C", &counter),
                None => self.one_of(&WRITES),
            },
        }
    }

    /// A place in the arena, whatever the counter is.
    pub(super) fn address(&mut self) -> String {
        let offset = *self.random.pick(&OFFSETS);
        self.fill(
            "[add(#a, #O)|#a|add(#a, shl(5, #i))|add(add(#a, 32), shl(5, #i))|add(add(#a, 32), mul(32, #i))\
             |add(add(#a, #O), mul([1|16|31|32|33|64], #i))|add(#a, add(mul(#i, 32), #O))|sub(#a, shl(5, #i))\
             |sub(add(#a, #O), mul(#i, 32))|add(#a, and(#w, [0x1f|0x3f|0xe0|1]))|add(#a, shl(5, and(#w, 7)))]",
        )
        .replace("#O", offset)
    }

    pub(super) fn length(&mut self) -> String {
        self.fill(
            "[0|1|31|32|32|33|64|and(#w, 0x3f)|and(#w, 0x60)|calldatasize()|returndatasize()|min(#w, 0x60)]",
        )
    }
}
