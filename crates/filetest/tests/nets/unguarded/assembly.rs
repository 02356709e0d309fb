//! What assembly does to low memory: places that call data and the environment make, copies, loops.

use super::{Generator, Sight};

/// Places at which a store of a word may cover a byte of the word at 0x40; none is made of what lies
/// in memory. All end below 0x80.
const PLACES: [&str; 34] = [
    "and(#c, 0x60)",
    "mul(and(#c, 3), 0x20)",
    "shl(5, and(#c, 3))",
    "shl(and(#c, 7), 1) if gt(#p, 0x60) { #p := 0 }",
    "mod(#c, 0x60)",
    "sub(0x60, and(#c, 0x60))",
    "and(exp(2, and(#c, 7)), 0x60)",
    "and(sub(calldatasize(), 0x20), 0x60)",
    "and(returndatasize(), 0x60)",
    "and(caller(), 0x41)",
    "and(not(#c), 0x5f)",
    "xor(0x20, and(#c, 0x60))",
    "and(byte(31, #c), 0x5f)",
    "mul(iszero(#c), 0x40)",
    "mul(gt(#c, 6), 0x40)",
    "add(0x39, and(callvalue(), 7))",
    "and(sload(7), 0x60)",
    "and(tload(7), 0x60)",
    "and(keccak256(0, 0x20), 0x60)",
    "shl(6, staticcall(gas(), 4, 0, 0, 0, 0))",
    "shr(2, and(#c, 0x100))",
    "sar(1, and(#c, 0xc0))",
    "smod(and(#c, 0xff), 0x60)",
    "addmod(#c, 1, 0x60)",
    "mulmod(#c, 3, 0x60)",
    "signextend(0, and(#c, 0x5f))",
    "and(or(#c, 0x40), 0x47)",
    "div(and(#c, 0xff), 3)",
    "and(extcodesize(0xe1), 0x60)",
    "and(balance(address()), 0x60)",
    "low(#c)",
    "and(same(#c), 0x60)",
    "#c if gt(#p, 0x60) { #p := 0x20 }",
    "calldatasize() switch gt(#p, 0x60) case 0 { #p := and(#p, 0x40) } default { #p := 0x40 }",
];

/// The same, but no bits and bounds keep the place below 0x80; where it lies at 0xe0 or above, nothing is stored.
const FAR_PLACES: [&str; 20] = [
    "and(#c, 0xc0)",
    "and(#c, 0xdf)",
    "shl(5, and(#c, 6))",
    "and(byte(31, #c), 0xdf)",
    "add(0x39, #c)",
    "add(0x3b, #c)",
    "sub(calldatasize(), 0x20)",
    "returndatasize()",
    "sub(0xc0, and(#c, 0xc0))",
    "#c",
    "mul(#c, 0x20)",
    "shr(1, #c)",
    "mul(0x20, add(1, callvalue()))",
    "exp(2, #c)",
    "sload(7)",
    "add(tload(7), 0x20)",
    "not(not(#c))",
    "same(#c)",
    "and(caller(), 0xc1)",
    "shl(6, iszero(sub(#c, 5)))",
];

/// Places below the word, whatever call data holds.
const HARMLESS: [&str; 6] = [
    "and(#c, 0x1f)",
    "mul(and(#c, 1), 0x20)",
    "mod(#c, 0x20)",
    "shl(5, iszero(#c))",
    "sub(0x20, and(#c, 0x1f))",
    "and(calldatasize(), 0x20)",
];

/// Copies, loops and unaligned stores that may cover a byte of the word at 0x40. All end at 0x80.
const COVERS: [&str; 27] = [
    "calldatacopy(0, 0, calldatasize())",
    "calldatacopy(0, 0, and(calldatasize(), 0x7f))",
    "calldatacopy(0, and(#c, 0x1f), and(#c, 0x7f))",
    "calldatacopy(and(#c, 0x20), 0, 0x40)",
    "calldatacopy(0x10, 4, and(#x, 0x5f))",
    "calldatacopy(0, 0, 0x80) pop(call(300000, 0xe1, 0, 0, and(#c, 0x7f), 0, 0)) returndatacopy(0, 0, returndatasize())",
    "pop(call(300000, 0xe2, 0, 0, and(#c, 0x40), 0, 0)) returndatacopy(and(#c, 0x3f), 0, and(returndatasize(), 0x3f))",
    "codecopy(0, codesize(), 0x60)",
    "codecopy(and(#c, 0x3f), codesize(), 0x21)",
    "extcodecopy(0xe2, 0, 0, and(#c, 0x7f))",
    "mcopy(0x20, 0, 0x40)",
    "mcopy(and(#c, 0x3f), 0, 0x21)",
    "mcopy(0x1f, 0, and(#c, 0x5f))",
    "pop(staticcall(gas(), 4, 0, 0x40, 0x20, and(#c, 0x5f)))",
    "pop(staticcall(gas(), 2, 0, 0x20, and(#c, 0x60), 0x20))",
    "pop(call(300000, 0xe1, 0, 0, 0x40, 0x21, 0x20))",
    "pop(call(300000, 0xe3, 0, 0, 0, and(#c, 0x40), 0x20))",
    "for { let #n := 0 } lt(#n, 0x60) { #n := add(#n, 0x20) } { mstore(#n, #x) }",
    "for { let #n := 0 } lt(#n, and(#c, 0x7f)) { #n := add(#n, 0x20) } { mstore(#n, #x) }",
    "for { let #n := 0 } lt(#n, and(calldatasize(), 0x60)) { #n := add(#n, 0x20) } { mstore(#n, calldataload(#n)) }",
    "for { let #n := 0x60 } #n { } { #n := sub(#n, 0x20) mstore(#n, #x) }",
    "for { let #n := 0 } lt(#n, 3) { #n := add(#n, 1) } { mstore(mul(#n, 0x20), add(#x, #n)) }",
    "for { let #n := 0x3e } lt(#n, 0x46) { #n := add(#n, 1) } { mstore8(#n, #x) }",
    "mstore8(and(#c, 0x5f), #x)",
    "mstore(0x21, #x)",
    "mstore8(0x5f, #x)",
    "put(0x40, #x)",
];

/// Ends of the frame; at the last one the word is loaded before.
const ENDS: [&str; 9] = [
    "calldatacopy(0, 0, calldatasize()) let #n := delegatecall(300000, 0xe1, 0, calldatasize(), 0, 0) returndatacopy(0, 0, returndatasize()) switch #n case 0 { revert(0, returndatasize()) } default { return(0, returndatasize()) }",
    "calldatacopy(0, 0, calldatasize()) pop(call(300000, 0xe1, 0, 0, calldatasize(), 0, 0x60)) return(0, 0x60)",
    "pop(call(300000, 0xe1, 0, 0, 0x40, 0x20, 0x60)) returndatacopy(0, 0, returndatasize()) revert(0, returndatasize())",
    "mstore(0, #x) mstore(0x20, #x) mstore(0x40, #x) return(0, 0x60)",
    "mstore(#p, #x) mstore(0, #x) mstore(0x20, #x) mstore(0x40, #x) revert(0, 0x60)",
    "calldatacopy(0, 0, 0x80) sstore(3, keccak256(0, 0x80)) stop()",
    "mstore(0, #x) mstore(0x20, 0) mstore(0x40, 0x20) mstore(0x44, #x) log1(0, 0x60, #x) stop()",
    "mcopy(0, 0x20, 0x40) mstore(0x20, #x) calldatacopy(0x40, 0, 0x20) return(0, 0x60)",
    "mstore(0x40, #x) #v := mload(0x40) mstore(0, #v) return(0, 0x20)",
];

/// What is seen of the word while it is data.
const SEEN: [&str; 12] = [
    "if iszero(shr(7, mload(0x40))) { #v := add(#v, 5) }",
    "if slt(mload(0x40), 0) { #v := add(#v, 11) }",
    "#v := add(mul(#v, 3), lt(mload(0x40), 0x60))",
    "#v := add(#v, mload(0x40))",
    "#v := xor(#v, shr(255, mload(0x40)))",
    "if lt(mload(0x40), 0x80) { #v := add(#v, 1) }",
    "#v := keccak256(0, 0x60)",
    "log0(0x20, 0x40)",
    "#v := add(#v, look())",
    "pop(staticcall(gas(), 2, 0, 0x60, 0, 0x20)) #v := mload(0)",
    "if gt(mload(0x40), 0xffffffffffffffff) { #v := add(#v, 3) }",
    "#v := mload(and(#c, 0x40))",
];

/// Covers all of the word at 0x40, so that no pointer's number is left in it.
const FILLS: [&str; 9] = [
    "mstore(0x40, #x)",
    "mstore(0x40, #x)",
    "fill(#x)",
    "put(0x40, #x)",
    "calldatacopy(0, 0, 0x60)",
    "calldatacopy(0x20, 0x20, 0x40)",
    "for { let #n := 0 } lt(#n, 0x60) { #n := add(#n, 0x20) } { mstore(#n, #x) }",
    "mcopy(0x40, 0, 0x20)",
    "mstore(0x40, mload(0x20))",
];

/// Where the pointer is kept while its word is used; at the first five it can be followed.
const SAVES: [(&str, &str); 10] = [
    ("let #n := mload(0x40)", "mstore(0x40, #n)"),
    ("let #n := mload(0x40)", "mstore(0x40, #n)"),
    ("let #n := mload(0x40)", "mstore(64, same(#n))"),
    ("let #n := same(mload(64))", "fill(#n)"),
    ("let #n := look()", "put(0x40, #n)"),
    ("tstore(9, mload(0x40))", "mstore(0x40, tload(9))"),
    ("sstore(19, mload(0x40))", "mstore(0x40, sload(19)) sstore(19, 0)"),
    ("let #n := allocate(0x20) mstore(#n, mload(0x40))", "mstore(0x40, mload(#n)) mstore(#n, 0)"),
    ("let #n := mload(0x40) let #n_ := #n", "if calldatasize() { #n_ := #n } mstore(0x40, #n_)"),
    (
        "let #n := mload(0x40) mstore(add(#n, 0x1f0), #n)",
        "mstore(0x40, mload(add(#n, 0x1f0))) mstore(add(#n, 0x1f0), 0)",
    ),
];

impl Generator<'_> {
    /// A store to a place in low memory.
    pub(super) fn low_store(&mut self, may_hit: bool, value: &str) -> String {
        let reach_far = self.sight >= Sight::Exact || self.start == 0x100;
        let store = *self.random.pick(&["mstore", "mstore", "mstore", "put"]);
        let name = self.fresh("l");
        if may_hit && reach_far && self.random.once_in(2) {
            let place = *self.random.pick(&FAR_PLACES);
            let place = self.filled(place);
            return format!("{{ let {name} := {place} if lt({name}, 0xe0) {{ {store}({name}, {value}) }} }}");
        }
        let place = match (may_hit, self.only_place) {
            (false, _) => *self.random.pick(&HARMLESS),
            (true, Some(index)) => PLACES[index],
            (true, None) => *self.random.pick(&PLACES),
        };
        let place = self.filled(&place.replace("#p", &name));
        format!("{{ let {name} := {place} {store}({name}, {value}) }}")
    }

    pub(super) fn any_place(&mut self) -> usize {
        self.random.below(PLACES.len())
    }

    /// Something that may cover the word.
    pub(super) fn cover(&mut self) -> String {
        match self.random.below(3) {
            0 if self.has_data => "datacopy(0, dataoffset(\"d\"), datasize(\"d\"))".to_owned(),
            0 | 1 => {
                let value = self.value();
                self.low_store(true, &value)
            }
            _ => {
                let cover = *self.random.pick(&COVERS);
                self.filled(cover)
            }
        }
    }

    /// The word is used for a while, then a pointer is put back.
    pub(super) fn section(&mut self) -> String {
        let name = self.fresh("m");
        let n_ways = if self.hides_pointer { SAVES.len() } else { 5 };
        let (save, restore) = *self.random.pick(&SAVES[..n_ways]);
        let mut text = format!("{{\n{}\n", save.replace("#n", &name));
        let is_seen = self.sees_data && self.random.once_in(2);
        for _ in 0..self.random.between(usize::from(!is_seen), 2) {
            text += &self.cover();
            text += "\n";
        }
        if is_seen {
            // Or the covers alone tell that the word is no pointer.
            if self.sight < Sight::Exact || self.random.once_in(3) {
                let fill = *self.random.pick(&FILLS);
                text += &self.filled(fill);
                text += "\n";
            }
            for _ in 0..self.random.between(1, 2) {
                let seen = *self.random.pick(&SEEN);
                text += &self.filled(seen);
                text += "\n";
            }
        }
        text + &restore.replace("#n", &name) + "\n}"
    }

    /// The frame ends here, sometimes.
    pub(super) fn early_end(&mut self) -> String {
        let test = self.test();
        let n_ends = if self.sees_data { ENDS.len() } else { ENDS.len() - 1 };
        let end = *self.random.pick(&ENDS[..n_ends]);
        let place = self.fresh("l");
        let cover = if self.random.once_in(3) { self.cover() } else { String::new() };
        let text = self.filled(&end.replace("#p", &place));
        let start = if end.contains("#p") {
            let with = *self.random.pick(&PLACES);
            format!("let {place} := {}", self.filled(&with.replace("#p", &place)))
        } else {
            String::new()
        };
        let number = self.random.below(8);
        format!("if and({test}, eq(and({}, 7), {number})) {{\n{cover}\n{start}\n{text}\n}}", self.pure())
    }

    /// The word is covered and nobody puts a pointer back.
    pub(super) fn left_covered(&mut self) -> String {
        match self.random.below(8) {
            0..3 => {
                let value = self.filled("or(0x80, and(#x, 0x3e0))");
                self.low_store(true, &value)
            }
            3..6 => {
                let cover = self.cover();
                let seen = *self.random.pick(&SEEN);
                format!("{cover}\n{} mstore(0x40, 0x300)", self.filled(seen))
            }
            6 => self.filled("mstore(0x40, and(#x, 0x3ff))"),
            _ => {
                let cover = self.cover();
                let mend = *self.random.pick(&[
                    "mstore(0x40, and(mload(0x40), 0x3ff))",
                    "if gt(mload(0x40), 0x400) { mstore(0x40, 0x180) }",
                    "mstore(0x40, or(and(mload(0x40), 0x3e0), 0x80))",
                ]);
                format!("{cover} {mend}")
            }
        }
    }
}
