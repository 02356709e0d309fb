//! Statements beside exchanges: other work in memory, branches, loops, functions.

use super::{ALLOCATED, Generator, Place};
use crate::ways::{branch, choice, rounds, sequence};

/// In scratch and elsewhere, but for free memory.
const WORK: [&str; 16] = [
    "mstore(0, #x) mstore(0x20, #x) #v := keccak256(0, 0x40)",
    "mstore(0, #x) mstore(0x20, 2) sstore(keccak256(0, 0x40), #v)",
    "mstore(0, #x)",
    "mstore(0x20, #x)",
    "#v := add(#v, mload(#o))",
    "#v := keccak256(0, 0x40)",
    "mstore(#o, #x)",
    "mstore8(#o, #x)",
    "log1(0, 0x40, #v)",
    "mstore(0, #x) log2(0, 0x20, #v, #x)",
    "pop(staticcall(gas(), 4, 0, 0x40, 0, 0x20))",
    "pop(staticcall(gas(), 2, 0, 0x20, 0x20, 0x20))",
    "calldatacopy(0, #x, 0x40)",
    "#v := key(#x, #v)",
    "sstore(6, #v)",
    "mcopy(0, 0x20, 0x20)",
];

/// At the free pointer, or what moves it.
const FREE_WORK: [&str; 12] = [
    "{ let #n := mload(0x40) mstore(#n, #x) mstore(add(#n, 0x20), #v) log1(#n, 0x40, #x) }",
    "{ let #n := mload(0x40) mstore(#n, #x) log1(#n, 0x20, #x) }",
    "{ let #n := mload(0x40) mstore(#n, #x) #v := keccak256(#n, 0x20) }",
    "{ let #n := mload(0x40) mstore(add(#n, 0x20), #x) mstore(#n, #x) #v := keccak256(#n, 0x40) }",
    "{ let #n := allocate(0x40) mstore(#n, #x) mstore(add(#n, 0x20), #v) #v := keccak256(#n, 0x40) }",
    "{ let #n := mload(0x40) let ok#n := ask(#n, shr(32, #x), #v, 0x20) if iszero(ok#n) { forward() } #v := answer_at(#n) }",
    "{ let #n := mload(0x40) let ok#n := ask(#n, 0x03000001, #v, 0x20) if iszero(ok#n) { forward() } #v := answer_at(#n) }",
    "{ let #n := mload(0x40) let ok#n := ask(#n, 0x0b000001, #v, 0x20) if ok#n { let s#n := 0x20 if gt(s#n, returndatasize()) { s#n := returndatasize() } finalize(#n, s#n) #v := decode(#n, add(#n, s#n)) } }",
    "{ let #n := mload(0x40) let ok#n := ask(#n, 0x02000001, #v, 0x20) if ok#n { let s#n := 0x20 if gt(s#n, returndatasize()) { s#n := returndatasize() } finalize(#n, s#n) #v := decode_bool(#n, add(#n, s#n)) } }",
    "{ let #n := allocate(returndatasize()) returndatacopy(#n, 0, returndatasize()) #v := keccak256(#n, returndatasize()) }",
    "finalize(mload(0x40), and(#x, 0xff))",
    "{ let #n := mload(0x40) returndatacopy(#n, 0, returndatasize()) #v := add(#v, keccak256(#n, returndatasize())) }",
];

impl Generator<'_> {
    pub(super) fn statements(&mut self, n: usize) -> String {
        sequence(self, n, |this| &mut this.left, Self::statement)
    }

    fn statement(&mut self) -> String {
        let is_deep = self.depth >= 2;
        match self.random.below(20) {
            0 if !is_deep => branch(&self.test(), &self.nested()),
            1 if !is_deep => choice(&self.test(), &self.nested(), &self.nested()),
            2 if !is_deep => rounds(&self.fresh("i"), self.random.between(1, 3), &self.nested()),
            3 | 4 if self.n_functions > 0 => {
                let (target, name) = (self.variable(), self.random.below(self.n_functions));
                format!("{target} := f{name}({}, {})", self.value(), self.value())
            }
            5 => self.allocation(),
            6 | 7 => self.memory_work(false),
            8 | 9 => self.across(),
            10 if !self.buffers.is_empty() => {
                let buffer = self.random.pick(&self.buffers).clone();
                self.use_of(&buffer)
            }
            _ => self.exchange(),
        }
    }

    fn nested(&mut self) -> String {
        self.depth += 1;
        let scope = self.buffers.len();
        let n = self.random.between(1, 2);
        let text = self.statements(n);
        self.buffers.truncate(scope);
        self.depth -= 1;
        text
    }

    pub(super) fn function(&mut self) -> String {
        let n = self.random.between(1, 3);
        self.left = 4;
        let body = self.statements(n);
        self.buffers.clear();
        let name = format!("f{}", self.n_functions);
        self.n_functions += 1;
        format!("function {name}(a0, a1) -> a2 {{\n{body}}}\n")
    }

    /// Where free memory is in use, the pointer is not loaded.
    pub(super) fn memory_work(&mut self, is_free_used: bool) -> String {
        if is_free_used || self.random.once_in(2) {
            self.one_of(&WORK, &[])
        } else {
            self.one_of(&FREE_WORK, &[])
        }
    }

    fn allocation(&mut self) -> String {
        let name = self.fresh("b");
        let text = format!(
            "let {name} := allocate(0x{ALLOCATED:x}) mstore({name}, {}) mstore(add({name}, 0x20), {})",
            self.value(),
            self.value()
        );
        self.buffers.push(Place { base: name, known: 0x40, room: ALLOCATED, is_free: false });
        text
    }

    /// A word stays in scratch across an exchange.
    fn across(&mut self) -> String {
        let exchange = self.exchange();
        let (first, second, variable) = (self.value(), self.value(), self.variable());
        let seen = self.one_of(
            &[
                "#v := keccak256(0, 0x40)",
                "#v := sload(keccak256(0, 0x40))",
                "#v := mload(0)",
                "log0(0, 0x40)",
            ],
            &[],
        );
        match self.random.below(3) {
            0 => format!("mstore(0, {first})\n{exchange}mstore(0x20, {second}) {seen}"),
            1 => format!("mstore(0x20, {first})\n{exchange}mstore(0, {second}) {seen}"),
            _ => format!("mstore(0, {first}) mstore(0x20, {variable})\n{exchange}{seen}"),
        }
    }

    /// Looks at everything that is still there.
    pub(super) fn end(&mut self) -> String {
        let mut text = String::new();
        for buffer in self.buffers.clone() {
            if self.random.once_in(2) {
                text += &self.use_of(&buffer);
            }
        }
        if self.random.once_in(3) {
            text += "sstore(9, keccak256(0, 0x40))\n";
        }
        let live: String =
            (0..self.n_live).map(|index| format!("sstore({}, w{index})\n", 200 + index)).collect();
        if !live.is_empty() && self.random.once_in(2) {
            // Values live past a copy of any length.
            return text
                + "let last := mload(0x40) calldatacopy(last, 0, calldatasize())\n"
                + &live
                + "return(last, calldatasize())";
        }
        text += &live;
        let seen = "mstore(last, v0) mstore(add(last, 0x20), v1) mstore(add(last, 0x40), v2)";
        match self.random.below(4) {
            0 => text + "mstore(0, add(v0, mul(31, add(v1, mul(31, v2))))) return(0, 0x20)",
            1 => text + &format!("let last := mload(0x40) {seen} revert(last, 0x60)"),
            _ => text + &format!("let last := mload(0x40) {seen} return(last, 0x60)"),
        }
    }
}
