//! Statements on storage, on other contracts, and on what the program finds when it is called by them.

use super::{CALL_COST, Generator, Memory, Scope};

const STATE: [&str; 19] = [
    "sstore(#k, #x)",
    "sstore(#k, #x)",
    "sstore(#k, sload(#k))",
    "#v := sload(#k)",
    "#v := add(#v, sload(#k))",
    "tstore(#[0|1|2|and(#c, 3)|#k], #x)",
    "tstore(#k, sload(#k))",
    "sstore(#k, tload(#k))",
    "#v := xor(tload(#k), sload(#k))",
    "{ let #n := sload(#k) sstore(#k, add(#n, 1)) #v := xor(#n, sload(#k)) }",
    "{ let #n := #k sstore(#n, #x) sstore(#k, #x) #v := sload(#n) }",
    "{ let #n := and(#v, 1) sstore(#n, #x) sstore(and(#c, 1), #x) #v := sload(#n) }",
    "{ let #n := and(#c, 1) sstore(#n, #x) #v := add(#v, sload(and(#v, 1))) sstore(#n, #x) }",
    "for { let #n := 0 } lt(#n, and(sload(1), 3)) { #n := add(#n, 1) } { for { let #n_i := 0 } lt(#n_i, 2) { #n_i := add(#n_i, 1) } { sstore(#[1|2|and(#c, 3)], add(#n_i, #x)) } }",
    "{ let #n := #k sstore(#n, #x) #v := maybe_ends(#x) sstore(#n, #x) }",
    "{ let #n := and(#c, 3) tstore(#n, #x) if #t { #v := maybe_ends(#x) tstore(#n, #x) } #v := add(#v, tload(#n)) }",
    "if #t { sstore(#k, #x) }",
    "log1(#1, 0x20, #x)",
    "log3(#2, and(#c, 0x3f), #x, #v, 1)",
];

const CALLS: [&str; 24] = [
    "pop(reenter(#s, #d, #x, #x))",
    "#v := add(reenter(#s, #d, and(#x, 3), #x), mload(0))",
    "{ let #n := sload(1) pop(reenter(#s, #d, 1, #x)) #v := xor(#n, sload(1)) }",
    "{ sstore(1, #x) pop(reenter(#s, #d, #[1|0|2], #x)) sstore(1, add(sload(1), 1)) }",
    "{ sstore(1, #x) pop(reenter(#s, 2, 1, #x)) #v := add(#v, mload(0)) sstore(1, #x) }",
    "{ sstore(#k, #x) if reenter(#s, #d, and(#v, 3), #x) { sstore(#k, #x) } }",
    "{ let #n := selfbalance() pop(reenter(#s, 6, 0, 1)) #v := sub(#n, selfbalance()) }",
    "{ let #n := balance(0xe3) pop(reenter(#s, 6, 0, #x)) #v := sub(balance(0xe3), #n) }",
    "for { let #n := 0 } lt(#n, and(sload(2), 3)) { #n := add(#n, 1) } { pop(reenter(#s, #d, 2, #n)) }",
    "pop(call(150000, #a, #[0|0|1|callvalue()], #1, #l, #1, 0x20))",
    "{ let #n := #2 pop(call(150000, #a, 0, #n, #l, add(#n, and(#c, 0x1f)), 0x20)) #v := keccak256(#n, 0x40) }",
    "{ let #n := #2 mstore(#n, #x) pop(staticcall(150000, #a, #n, #l, #n, 0x40)) mstore(add(#n, 0x20), #x) #v := keccak256(#n, 0x40) }",
    "pop(staticcall(150000, #a, #h, #z, #1, 0x20))",
    "pop(delegatecall(150000, 0xe3, #h, #z, #1, #[0x20|0x1f|0]))",
    "{ mstore(0, #x) pop(delegatecall(150000, #s, 0, 0x40, #1, 0x20)) }",
    "if staticcall(150000, #a, #1, #l, 0, 0) { #v := last_word() }",
    "{ pop(call(150000, #a, 0, #1, #l, 0, 0)) let #n := returndatasize() pop(staticcall(150000, #a, #1, #l, 0, 0)) if iszero(or(gt(#n, returndatasize()), gt(#n, 0x40))) { returndatacopy(#2, 0, #n) } }",
    "{ pop(call(150000, #a, 0, #1, #l, 0, 0)) mstore(#1, #x) if gt(returndatasize(), 0x1f) { pop(keccak256(#1, 0x20)) returndatacopy(#1, 0, 0x20) } }",
    "#v := add(#v, returndatasize())",
    "if gt(returndatasize(), and(#c, 0x3f)) { returndatacopy(#2, 0, and(#c, 0x3f)) }",
    "returndatacopy(#h, returndatasize(), #z)",
    "if #r { returndatacopy(#1, and(#c, 0x1f), 0x20) }",
    "#v := xor(#v, #[extcodehash(#e)|extcodesize(#e)|balance(#a)])",
    "extcodecopy(#e, #1, and(#c, 0x1f), 0x20)",
];

/// Calls whose input and answer lie at the pointer; answers may be short.
const ANSWERS: [&str; 3] = [
    "{ let #n := mload(0x40) mstore(#n, #x) pop(call(150000, #a, 0, #n, #l, #n, 0x20)) #v := mload(#n) }",
    "{ let #n := mload(0x40) mstore(#n, shl(224, #x)) mstore(add(#n, 4), #x) if staticcall(150000, #a, #n, 0x24, #n, 0x20) { #v := mload(#n) } }",
    "{ let #n := mload(0x40) mstore(#n, #x) pop(staticcall(150000, #a, #n, 0x20, #n, 0x20)) if iszero(lt(returndatasize(), #[0x20|0x1f|1])) { finalize(#n, 0x20) #v := mload(#n) } }",
];

/// What creates code: by hand, which counts its calls in storage, and an object, which is given a word.
const CREATIONS: [&str; 4] = [
    "{ mstore(0, shl(80, 0x6d5f54600101805f555f5260205ff35f52600e6012f3)) let #n := create2(0, 0, 22, salt()) if #n { #v := extcodehash(#n) pop(call(150000, #n, 0, 0, 0, 0, 0x20)) #v := add(#v, add(mload(0), extcodesize(#n))) } }",
    "{ mstore(0, shl(80, 0x6d5f54600101805f555f5260205ff35f52600e6012f3)) let #n := create(0, 0, 22) mstore(0, 0) pop(delegatecall(150000, #n, 0, 0, 0x60, 0x20)) #v := sub(mload(0x60), sload(0)) }",
    "{ let #n_s := datasize(\"x\") let #n_p := allocate(add(#n_s, 0x20)) datacopy(#n_p, dataoffset(\"x\"), #n_s) mstore(add(#n_p, #n_s), #x) let #n := create(and(#c, 1), #n_p, add(#n_s, 0x20)) if #n { pop(call(150000, #n, 0, 0, 0, 0, 0x20)) #v := add(#v, mload(0)) } }",
    "{ let #n_p := mload(0x40) datacopy(#n_p, dataoffset(\"d\"), datasize(\"d\")) #v := keccak256(#n_p, datasize(\"d\")) }",
];

impl Generator<'_> {
    pub(super) fn state(&mut self) -> String {
        if self.scope != Scope::All || !self.is_affordable(CALL_COST) || self.random.once_in(2) {
            return self.one_of(&STATE);
        }
        self.cost += CALL_COST * self.times;
        if self.random.once_in(8) {
            let n = if self.has_objects && self.memory != Memory::Raw { CREATIONS.len() } else { 2 };
            return self.one_of(&CREATIONS[..n]);
        }
        if self.memory != Memory::Raw && self.random.once_in(5) {
            return self.one_of(&ANSWERS);
        }
        self.one_of(&CALLS)
    }

    /// What the other letters of templates stand for.
    pub(super) fn of_state(&mut self, letter: &str) -> String {
        match letter {
            "k" => self.one_of(&[
                "0",
                "1",
                "1",
                "2",
                "add(1, #z)",
                "sub(2, #z)",
                "and(#c, 3)",
                "and(#v, 3)",
                "#v",
                "hash(1, 2)",
                "hash(#v, 2)",
                "add(hash(1, 2), and(#c, 1))",
                "not(#c)",
            ]),
            "a" if self.random.once_in(6) => "address()".to_owned(),
            "a" | "e" => self.one_of(&[
                "0xe1",
                "0xe3",
                "0xe9",
                "0xe9",
                "4",
                "2",
                "0x4321",
                "or(0xe9, shl(160, #v))",
                "or(0xe1, shl(255, 1))",
                "add(0xe1, #z)",
            ]),
            "s" => self.one_of(&[
                "address()",
                "address()",
                "0xe2",
                "or(address(), shl(160, #v))",
                "or(0xe2, shl(200, #c))",
            ]),
            "l" => self.one_of(&["0x20", "4", "0", "1", "0x1f", "and(#c, 0x1f)"]),
            "d" => self.one_of(&["0", "1", "2", "3", "4", "5", "6", "7", "and(#v, 7)"]),
            "o" => (*self.random.pick(&["0", "0x20", "0x40", "0x60", "4", "0x80"])).to_owned(),
            other => unreachable!("no placeholder `{other}`"),
        }
    }
}
