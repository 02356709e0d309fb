//! Statements on memory, and words of all kinds.

use super::{Generator, Memory, OWN, RAW, Region, Scope};
use crate::ways;

const MEMORY: [&str; 28] = [
    "mstore(#1, #x)",
    "mstore(#1, #x)",
    "mstore(#1, and(#x, 0xffffffff))",
    "mstore8(#1, #x)",
    "mstore(0x60, #[0|#x])",
    "#v := mload(#1)",
    "#v := add(#v, mload(#1))",
    "#v := xor(#v, mload(0x60))",
    "#v := xor(#v, keccak256(#2, 0x40))",
    "#v := keccak256(#1, and(#c, 0x1f))",
    "#v := keccak256(#3, 0x41)",
    "{ let #n := #2 mstore(#n, #x) mstore(add(#n, 0x1c), #x) mstore8(add(#n, 0x1f), #x) #v := mload(add(#n, 0xf)) }",
    "calldatacopy(#2, #c, 0x40)",
    "calldatacopy(#2, 4, and(#c, 0x3f))",
    "calldatacopy(#1, #h, 0x20)",
    "calldatacopy(#2, sub(calldatasize(), and(#c, 0x3f)), 0x40)",
    "codecopy(#1, #[codesize()|#h], 0x20)",
    "mcopy(#3, #3, 0x60)",
    "{ let #n := #3 mcopy(add(#n, 0x20), #n, 0x40) }",
    "{ let #n := #3 mcopy(#n, add(#n, 0x1f), 0x41) }",
    "{ let #n := #3 mcopy(add(#n, and(#c, 0x1f)), #n, and(#c, 0x3f)) #v := mload(add(#n, 0x20)) }",
    "{ let #n := #1 mstore(#n, #x) mcopy(#[#1|add(0x60, 0x20)], #n, 0x20) mstore(#n, #x) }",
    "mcopy(#2, #2, mul(iszero(#c), 0x40))",
    "{ let #n := #3 for { let #n_i := 0 } lt(#n_i, 0x60) { #n_i := add(#n_i, 0x20) } { mstore(add(#n, #n_i), calldataload(add(#c, #n_i))) } }",
    "{ let #n := #3 let #n_s := #3 for { let #n_i := 0 } lt(#n_i, and(#c, 0x60)) { #n_i := add(#n_i, 0x20) } { mstore(add(#n, #n_i), mload(add(#n_s, #n_i))) } }",
    "{ let #n := calldataload(#o) if lt(#n, calldatasize()) { #v := calldataload(#n) } }",
    "{ let #n := calldataload(#o) let #n_l := and(calldataload(#n), 0x3f) if iszero(gt(add(#n, #n_l), calldatasize())) { calldatacopy(#2, add(#n, 0x20), #n_l) } }",
    "{ let #n := add(4, calldataload(#o)) if or(gt(#n, 0xffffffffffffffff), iszero(slt(add(#n, 0x1f), calldatasize()))) { #v := 7 } #v := add(#v, calldataload(#n)) }",
];

/// What is done with no bytes at addresses that nobody can pay for.
const NOTHING: [&str; 8] = [
    "#v := xor(#v, keccak256(#h, #z))",
    "calldatacopy(#h, #x, #z)",
    "codecopy(#h, #h, #z)",
    "mcopy(#h, #h, #z)",
    "log1(#h, #z, #x)",
    "if #r { return(#h, #z) }",
    "if #r { revert(#h, #z) }",
    "#v := calldataload(#[#h|#x])",
];

const POINTER: [&str; 6] = [
    "{ let #n := mload(0x40) mstore(#n, #x) mstore(add(#n, 0x20), #x) #v := keccak256(#n, 0x40) }",
    "{ let #n := mload(0x40) mstore(#n, #x) mstore(0, #x) mstore(add(#n, 0x20), mload(0)) #v := add(mload(#n), mload(add(#n, 0x20))) }",
    "{ let #n := mload(0x40) calldatacopy(#n, 0, calldatasize()) #v := keccak256(#n, calldatasize()) }",
    "{ let #n := mload(0x40) mstore(#n, shl(224, 0x11223344)) mstore(add(#n, 4), #x) finalize(#n, 0x24) log1(#n, 0x24, #x) }",
    "{ let #n := mload(0x40) mstore(#n, #x) if #r { revert(#n, 0x20) } finalize(#n, 0x20) #v := mload(#n) }",
    "{ let #n := allocate(and(#x, 0xfff)) #v := add(#v, 1) }",
];

const VALUES: [&str; 22] = [
    "#v",
    "#v",
    "#v",
    "#v",
    "#v",
    "#c",
    "add(#v, #v)",
    "sub(#v, #c)",
    "mul(#v, #v)",
    "xor(#v, #c)",
    "div(#v, and(#c, 3))",
    "sdiv(#v, not(0))",
    "shr(and(#c, 0x1ff), #v)",
    "signextend(and(#c, 31), #v)",
    "exp(#v, and(#c, 3))",
    "iszero(lt(#v, #c))",
    "#[0|1|2|7|0x40|0x80|0x100|not(0)|shl(255, 1)|0xffffffffffffffffffffffffffffffffffffffff]",
    "#[caller()|address()|callvalue()|calldatasize()|number()]",
    "clz(#v)",
    "byte(#c, #v)",
    "addmod(#v, #c, #v)",
    "slt(#v, #c)",
];

impl Generator<'_> {
    pub(super) fn memory(&mut self) -> String {
        match (self.memory, self.random.below(12)) {
            (Memory::Raw, 0) => self.one_of(&[
                "#v := msize()",
                "#v := add(#v, msize())",
                "if gt(msize(), 0x60) { #v := not(#v) }",
            ]),
            (Memory::Guarded | Memory::Pointer, 0..2) => self.buffer(),
            (Memory::Guarded | Memory::Pointer, 2) if self.depth < 3 => self.moved_back(),
            (Memory::Guarded | Memory::Pointer, 3..5) => self.one_of(&POINTER),
            (_, 5..7) => self.one_of(&NOTHING),
            _ => self.one_of(&MEMORY),
        }
    }

    /// A buffer, filled.
    fn buffer(&mut self) -> String {
        let name = self.fresh();
        let size = 0x20 * self.random.between(1, 6);
        let more = *self.random.pick(&["", "", "and(callvalue(), 0xff)", "and(calldataload(3), 0x3ff)"]);
        let asked = if more.is_empty() { format!("0x{size:x}") } else { format!("add(0x{size:x}, {more})") };
        let mut text = match self.random.below(3) {
            0 => format!("let {name} := mload(0x40) mstore(0x40, add({name}, {asked}))\n"),
            _ => format!("let {name} := allocate({asked})\n"),
        };
        match self.random.below(3) {
            0 => text += &format!("calldatacopy({name}, {}, 0x{size:x})", self.pure()),
            1 => {
                text += &format!("codecopy({name}, codesize(), 0x{size:x}) mstore({name}, {})", self.value())
            }
            _ => {
                for at in (0..size).step_by(0x20) {
                    text += &format!("mstore(add({name}, 0x{at:x}), {})\n", self.value());
                }
            }
        }
        self.buffers.push(Region { base: name, size });
        text
    }

    /// Statements behind which the pointer is moved back, unless they go elsewhere.
    fn moved_back(&mut self) -> String {
        let name = self.fresh();
        let inner = self.nested(1);
        let seen = if self.buffers.is_empty() {
            String::new()
        } else {
            format!("mstore(0, mload({}))", self.region(0x20))
        };
        format!("{{ let {name} := mload(0x40)\n{inner} mstore(0x40, {name}) {seen} }}")
    }

    /// The address of so many bytes that the program may read and write.
    pub(super) fn region(&mut self, size: usize) -> String {
        let mut regions = self.buffers.clone();
        match self.memory {
            Memory::Raw => regions.push(Region { base: String::new(), size: RAW }),
            Memory::Guarded | Memory::Pointer => {
                regions.push(Region { base: String::new(), size: 0x40 });
                regions.push(Region { base: "0x60".to_owned(), size: OWN - 0x60 });
            }
        }
        regions.retain(|region| region.size >= size);
        let Region { base, size: room } = self.random.pick(&regions).clone();
        let spare = room - size;
        let mask = (1_usize << (spare + 1).ilog2()) - 1;
        let offset = match self.random.below(6) {
            0 => format!("0x{:x}", self.random.below(spare + 1)),
            1 if mask > 0 => format!("and({}, 0x{mask:x})", self.pure()),
            2 if mask >= 0x20 => format!("and({}, 0x{:x})", self.pure(), mask & !0x1f),
            _ => match 0x20 * self.random.below(spare / 0x20 + 1) {
                0 => "0".to_owned(),
                aligned => format!("0x{aligned:x}"),
            },
        };
        match (base.as_str(), offset.as_str()) {
            ("", _) => offset,
            (_, "0") => base,
            _ => format!("add({base}, {offset})"),
        }
    }

    /// A word of call data, or a counter.
    pub(super) fn pure(&mut self) -> String {
        if !self.fixed.is_empty() && self.random.once_in(3) {
            return self.random.pick(&self.fixed).clone();
        }
        format!("calldataload({})", self.random.pick(&[0, 0x20, 0x20, 0x40, 0x60, 0x33]))
    }

    pub(super) fn value(&mut self) -> String {
        if self.scope != Scope::Interpreted && self.random.once_in(20) {
            return "linkersymbol(\"lib.sol:L\")".to_owned();
        }
        if self.has_objects && self.random.once_in(12) {
            return self.one_of(&["loadimmutable(\"one\")", "loadimmutable(\"other\")"]);
        }
        self.one_of(&VALUES)
    }

    pub(super) fn test(&mut self) -> String {
        self.one_of(&[
            "and(#v, 1)",
            "and(#c, 1)",
            "gt(#v, #c)",
            "iszero(#v)",
            "eq(#v, #c)",
            "slt(#v, 5)",
            "callvalue()",
            "lt(calldatasize(), 0x90)",
        ])
    }

    /// One of these, each filled in: `#v` a variable, `#x` a value, `#c` and `#w` numbers that call data make, `#t` a test,
    /// `#r` one that seldom holds, `#n` a new name, `#1` to `#3` the address of so many words, `#h` a huge number,
    /// `#z` zero, `#k` a key, `#a` an account, `#e` another one than the program, `#s` the program itself, `#l` a length of at most a word, `#d` what is
    /// asked of the program, `#o` a place in call data; `#[` one of the choices up to the bracket.
    pub(super) fn one_of(&mut self, templates: &[&str]) -> String {
        let usable: Vec<&str> = templates.iter().copied().filter(|text| self.is_known(text)).collect();
        let mut template = (*self.random.pick(&usable)).to_owned();
        while let Some((before, behind)) = template.split_once("#[") {
            let (choices, after) = ways::choices(behind);
            template = format!("{before}{}{after}", self.random.pick(&choices));
        }
        let name = self.fresh();
        ways::filled(&template, |letter| match letter {
            "v" => self.variable(),
            "x" => self.value(),
            "c" | "w" => self.pure(),
            "t" => self.test(),
            "r" => format!("eq(and({}, 31), {})", self.variable(), self.random.below(32)),
            "n" => name.clone(),
            "1" | "2" | "3" => {
                self.region(0x20 * letter.parse::<usize>().expect("a digit") + usize::from(letter == "3"))
            }
            "h" => self.one_of(&[
                "not(0)",
                "not(31)",
                "shl(64, 1)",
                "shl(255, 1)",
                "sub(0, 0x20)",
                "or(#v, shl(254, 1))",
            ]),
            "z" => self.one_of(&[
                "0",
                "iszero(caller())",
                "mul(callvalue(), 0)",
                "sub(returndatasize(), returndatasize())",
                "lt(#c, 0)",
                "shr(255, shr(1, #c))",
            ]),
            other => self.of_state(other),
        })
    }

    /// Whether the fork that the program is for, and who runs it, know what stands there.
    fn is_known(&self, text: &str) -> bool {
        let is_new = ["mcopy(", "tload(", "tstore(", "clz("].iter().any(|name| text.contains(name));
        (self.is_new || !is_new) && (self.scope != Scope::Interpreted || !text.contains("codecopy"))
    }
}
