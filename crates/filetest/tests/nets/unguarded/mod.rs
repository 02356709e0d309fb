//! Yul without `memoryguard`: Solidity's own code beside assembly that keeps to no rules but those of
//! docs/assumptions.md for modules marked `[unguarded]`.
//!
//! Solidity's part allocates in its shapes (checked and not, arrays, bytes of call data and return
//! data, structs that point to others, decoded answers of calls, buffers above the pointer that are
//! hashed and forgotten), in branches, loops, functions and recursion. Assembly uses low memory: it
//! stores, copies and loops at places that call data, storage, hashes, sizes, answers and counters make,
//! over the word at 0x40, too, whose pointer is put back from wherever it was kept, or not, or the frame
//! ends before anyone asks.
//!
//! What a program sees differs:
//! * *clean*: what was allocated, through the words that were loaded for it;
//! * *looks*: the pointer's number, too, by loads behind which nothing is allocated, and by what is hashed,
//!   copied, logged or given back with its word in it;
//! * *exact*: everything, for a load at the end, behind which nothing is allocated, is seen: pointers
//!   as numbers, tables at fixed places amid what is allocated, memory above the pointer, a pointer
//!   that moves back or by odd numbers;
//! * *wild*: as before, and the word is covered while memory is allocated by it.
//!
//! Varies: where the pointer starts, creation code and code that is called.
//!
//! Not taken for granted: that an address that is computed leaves the word alone, that memory from 0x80
//! on is the pointer's, that a load of the pointer has a buffer.
//!
//! Kept (A17, A19): addresses that depend on what was found in memory are not low; clean programs and
//! those that only look use what is allocated through its word.

mod assembly;
mod statements;

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::ways::filled;
use crate::world;

const HELPERS: &str = include_str!("helpers.yul");

const FINALIZE: [&str; 4] = [
    "function finalize(p, size) {
        let next := add(p, and(add(size, 31), not(31)))
        if or(gt(next, 0xffffffffffffffff), lt(next, p)) { panic() }
        mstore(64, next)
    }",
    "function finalize(p, size) {
        let next := add(p, and(add(size, 31), not(31)))
        if or(gt(next, 0xffffffffffffffff), lt(next, p)) { panic() }
        mstore(64, next)
    }",
    "function finalize(p, size) { mstore(0x40, add(p, and(size, 0xfff))) }",
    "function finalize(p, size) { mstore(0x40, and(add(add(p, and(size, 0xffffff)), 31), not(31))) }",
];

/// What a program does when it calls itself; at the last one data at 0x40 is loaded.
const LEAVES: [&str; 6] = [
    "let p := allocate(0x20) mstore(p, caller()) return(p, 0x20)",
    "calldatacopy(0, 0, calldatasize()) return(0, calldatasize())",
    "sstore(5, hash_pair(callvalue(), calldatasize())) stop()",
    "let p := bytes_of_calldata(0, calldatasize()) revert(add(p, 0x20), mload(p))",
    "mstore(and(calldataload(0), 0x60), 7) return(0, 0x20)",
    "mstore(0x40, calldataload(0)) if and(mload(0x40), 1) { revert(0x40, 0x20) } return(0x40, 0x20)",
];

/// What a program may see.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Sight {
    Clean,
    Looks,
    Exact,
    Wild,
}

/// A name for allocated words, all of them written.
#[derive(Clone)]
struct Buffer {
    name: String,
    /// Its first word, if it points to two words or more.
    is_struct: bool,
    n_words: usize,
}

struct Generator<'a> {
    random: &'a mut Random,
    sight: Sight,
    start: usize,
    has_data: bool,
    /// Data at 0x40 is loaded.
    sees_data: bool,
    /// Pointers are put back that went through storage or other memory.
    hides_pointer: bool,
    /// The one way in which places that may hit the word are computed.
    only_place: Option<usize>,
    /// Variables that do not depend on what lies in memory.
    pure: Vec<String>,
    values: Vec<String>,
    buffers: Vec<Buffer>,
    n_funcs: usize,
    left: usize,
    depth: usize,
    next_name: usize,
}

pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let finalize = *random.pick(&FINALIZE);
    let is_creation = random.once_in(4);
    let is_plain = !is_creation && random.once_in(2);
    let runtime = code(&mut random, finalize, Role::Runtime, !is_plain);
    let data = "data \"d\" hex\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff0011223344556677\
         8899aabbccddeeff00112233445566778899aabbccddeeff0011223344556677\"";
    let (text, role) = if is_creation {
        let start = code(&mut random, finalize, Role::Creation, true);
        let inner = format!("object \"b\" {{ code {{\n{runtime}}}\n{data} }}");
        (format!("object \"a\" {{ code {{\n{start}}}\n{inner}\n{data} }}\n"), Role::Creation)
    } else if is_plain {
        (format!("{{\n{runtime}}}\n"), Role::Runtime)
    } else {
        (format!("object \"a\" {{ code {{\n{runtime}}}\n{data} }}\n"), Role::Runtime)
    };
    Case { text, role, to: world::CONTRACT, calls: world::calls(&mut random) }
}

/// The code of an object.
fn code(random: &mut Random, finalize: &str, role: Role, has_data: bool) -> String {
    let start = *random.pick(&[0x80, 0x80, 0x80, 0x80, 0x60, 0xa0, 0x100]);
    let sight = *random.pick(&[Sight::Clean, Sight::Looks, Sight::Exact, Sight::Wild]);
    let sight = if start == 0x60 && sight < Sight::Exact { Sight::Exact } else { sight };
    let mut generator = Generator {
        sight,
        start,
        has_data,
        sees_data: random.once_in(if sight == Sight::Wild { 2 } else { 4 }),
        hides_pointer: random.once_in(3),
        only_place: None,
        pure: Vec::new(),
        values: Vec::new(),
        buffers: Vec::new(),
        n_funcs: 0,
        left: 0,
        depth: 0,
        next_name: 0,
        random,
    };
    if generator.random.once_in(2) {
        generator.only_place = Some(generator.any_place());
    }
    let mut funcs = String::new();
    for _ in 0..generator.random.below(3) {
        funcs += &generator.function();
    }
    let body = generator.entry(role);
    format!("{body}{funcs}{finalize}\n{HELPERS}")
}

impl Generator<'_> {
    fn entry(&mut self, role: Role) -> String {
        let start = self.start;
        let mut text = match self.random.below(6) {
            0 => format!("fill(0x{start:x})\n"),
            1 => format!("mstore(64, add(0x20, 0x{:x}))\n", start - 0x20),
            _ => format!("mstore(64, 0x{start:x})\n"),
        };
        if role != Role::Creation {
            let n_leaves = if self.sees_data { LEAVES.len() } else { LEAVES.len() - 1 };
            text += &format!("if lt(calldatasize(), 0x41) {{ {} }}\n", self.random.pick(&LEAVES[..n_leaves]));
        }
        for n in 0..2 {
            text += &format!("let c{n} := calldataload(0x{:x})\n", 32 * n);
            self.pure.push(format!("c{n}"));
        }
        text += "sstore(7, and(c0, 0x7f)) tstore(7, calldataload(0x3f))\nlet v0 := calldataload(0x40) let v1 := 5\n";
        self.values.extend(["v0", "v1"].map(str::to_owned));
        self.left = 16;
        text += &self.statements(3);
        self.left = self.left.max(8);
        text += &self.statements(6);
        text + &self.end(role)
    }

    fn end(&mut self, role: Role) -> String {
        let mut seen = vec!["v0".to_owned(), "v1".to_owned(), "sload(2)".to_owned()];
        for index in 0..self.buffers.len() {
            if seen.len() < 7 && !self.random.once_in(3) {
                seen.push(self.read(index));
            }
        }
        let mut text = String::new();
        if self.sight >= Sight::Exact || self.sight == Sight::Looks && self.random.once_in(3) {
            text += "sstore(61, mload(0x40))\n";
        }
        text += "let last := mload(0x40)\n";
        for (index, value) in seen.iter().enumerate() {
            text += &format!("mstore(add(last, 0x{:x}), {value})\n", 32 * index);
        }
        let size = 32 * seen.len();
        text += &format!("sstore(50, keccak256(last, 0x{size:x}))\n");
        text + &match role {
            Role::Creation => {
                let place = *self.random.pick(&["last", "0", "allocate(datasize(\"b\"))"]);
                format!(
                    "let code_ := {place} datacopy(code_, dataoffset(\"b\"), datasize(\"b\")) return(code_, datasize(\"b\"))\n"
                )
            }
            _ if self.random.once_in(6) => format!("revert(last, 0x{size:x})\n"),
            _ => format!("return(last, 0x{size:x})\n"),
        }
    }

    /// A function of a number that call data make, any number and a pointer to a word.
    fn function(&mut self) -> String {
        let name = format!("f{}", self.n_funcs);
        (self.pure, self.values) = (vec!["c".to_owned()], vec!["v".to_owned(), "r".to_owned()]);
        self.buffers = vec![Buffer { name: "p".to_owned(), is_struct: false, n_words: 1 }];
        (self.depth, self.left) = (1, 5);
        let n = self.random.between(1, 4);
        let body = self.statements(n);
        self.depth = 0;
        self.n_funcs += 1;
        (self.pure, self.values, self.buffers) = (Vec::new(), Vec::new(), Vec::new());
        format!("function {name}(c, v, p) -> r {{\n{body}r := add(r, mload(p))\n}}\n")
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}{}", self.next_name)
    }

    fn pure(&mut self) -> String {
        self.random.pick(&self.pure).clone()
    }

    fn variable(&mut self) -> String {
        self.random.pick(&self.values).clone()
    }

    /// Without effects, and without a load of the pointer.
    fn value(&mut self) -> String {
        match self.random.below(12) {
            0..3 => self.variable(),
            3..5 => self.pure(),
            5 => format!("add({}, {})", self.variable(), self.random.below(1000)),
            6 => format!("mul({}, {})", self.variable(), self.pure()),
            7 => format!("0x{:x}", self.random.next() & 0xffff_ffff),
            8 => (*self.random.pick(&["0", "1", "0x40", "0x80", "not(0)", "shl(255, 1)", "caller()"]))
                .to_owned(),
            9 => format!("sload({})", self.random.below(4)),
            _ if self.buffers.is_empty() => self.variable(),
            _ => {
                let index = self.random.below(self.buffers.len());
                self.read(index)
            }
        }
    }

    fn test(&mut self) -> String {
        let value = self.value();
        match self.random.below(5) {
            0 | 1 => format!("and({value}, 1)"),
            2 => format!("lt(and({value}, 15), {})", self.random.between(2, 14)),
            3 => format!("slt({value}, 7)"),
            _ => "iszero(callvalue())".to_owned(),
        }
    }

    /// `#v` is a variable, `#c` a number that call data make, `#x` a value, `#n` a new name.
    fn filled(&mut self, template: &str) -> String {
        let name = self.fresh("n");
        filled(template, |letter| match letter {
            "v" => self.variable(),
            "c" => self.pure(),
            "x" => self.value(),
            "n" => name.clone(),
            other => unreachable!("no placeholder `{other}`"),
        })
    }
}
