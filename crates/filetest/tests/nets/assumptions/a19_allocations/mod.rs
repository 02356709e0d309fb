//! A19: what is allocated is used through the word that was loaded for it; so a move of the pointer to
//! free memory is needed only where a buffer is used behind the next load.
//!
//! Programs allocate all the time: in line and by helpers, before, amid and behind the writes, for
//! sizes that are constant, masked, clamped, rounded, zero; they extend and shrink what was allocated
//! last, write to free memory and move the pointer later, in one arm, or never. Buffers live
//! through branches, loops, recursion, functions that take, choose, swap and return them; pointers to
//! them lie in variables, buffers, storage and lists. Contents come from stores, loops, copies, call
//! data, return data and calls with input and output in one buffer. *Sections* put the pointer back,
//! or put data at 0x40 in the meantime. Results are made of contents alone, of buffers that were there
//! before others came, most of all.
//!
//! Kept: what is read was written; what is not allocated, or freed by a section, is used up to the next
//! load only; no pointer's number is seen.
//!
//! Not taken for granted: that a buffer is dead because its function, round or arm ends; that the word
//! at 0x40 is a pointer between a load and a move; that a move is one for its buffer alone.
//!
//! Moves that allocate are spelled with `0x40`, others with `64`: a test leaves one out, and results
//! must differ.

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::world;

mod buffers;
mod functions;
mod statements;
mod teeth;

const HELPERS: &str = include_str!("helpers.yul");

/// Ways to move the pointer behind a buffer, checked or not.
const FINALIZE: [&str; 3] = [
    "function finalize(p, size) {
        let next := add(p, and(add(size, 31), not(31)))
        if or(gt(next, 0xffffffffffffffff), lt(next, p)) { panic() }
        mstore(0x40, next)
    }",
    "function finalize(p, size) { mstore(0x40, add(p, and(size, 0xfff))) }",
    "function finalize(p, size) {
        if gt(size, 0xffffff) { panic() }
        mstore(0x40, and(add(add(p, size), 31), not(31)))
    }",
];

/// What a program does when it calls itself.
const LEAVES: [&str; 4] = [
    "let p := allocate(0x20) mstore(p, caller()) return(p, 0x20)",
    "mstore(0, hash(calldataload(0), 7)) return(0, 0x20)",
    "sstore(5, identity(callvalue(), calldatasize())) stop()",
    "let p := bytes_given(0, calldatasize()) revert(add(p, 0x20), mload(p))",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Any words.
    Words,
    /// Each word points to at least [`POINTED`] words that are allocated.
    Pointers,
    /// A number of words, then the words.
    Array,
    /// A number of bytes, then the bytes.
    Bytes,
}

/// Words that are written behind every pointer that is stored, passed, returned or assigned.
const POINTED: usize = 2;

/// What a name points to, as far as it is sure.
#[derive(Clone)]
struct Buffer {
    name: String,
    kind: Kind,
    /// Words written, from the first on.
    words: usize,
    /// Words that may be written.
    room: usize,
    /// Bytes written, if it is not the words.
    size: Option<String>,
    /// The pointer to free memory lies behind it.
    is_allocated: bool,
    /// It stays until the pointer is loaded.
    is_until_load: bool,
    /// The pointer was not loaded since it was for this.
    is_newest: bool,
    /// Sections around the allocation: it is free when the innermost ends.
    section: usize,
    /// Other names may point to it.
    is_shared: bool,
    is_variable: bool,
}

impl Buffer {
    fn is_valid(&self) -> bool {
        self.is_allocated || self.is_until_load
    }

    /// May be pointed to from anywhere in its section.
    fn is_lasting(&self) -> bool {
        self.is_allocated && self.kind == Kind::Words && self.words >= POINTED
    }
}

struct Generator<'a> {
    random: &'a mut Random,
    values: Vec<String>,
    buffers: Vec<Buffer>,
    funcs: Vec<functions::Func>,
    left: usize,
    depth: usize,
    section: usize,
    next_name: usize,
    /// The pointer may not be loaded here, for something needs free memory, or it is not at 0x40.
    quiet: usize,
    /// Loops that may be left.
    loops: usize,
    /// Whether the call may return here.
    can_return: bool,
    /// Data at 0x40 is seen, so that nothing is known of that word.
    is_wild: bool,
}

pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let finalize = *random.pick(&FINALIZE);
    let runtime = code(&mut random, finalize, Role::Runtime);
    let (text, role) = if random.once_in(5) {
        let start = code(&mut random, finalize, Role::Creation);
        (
            format!("object \"a\" {{ code {{\n{start}}}\nobject \"b\" {{ code {{\n{runtime}}} }} }}\n"),
            Role::Creation,
        )
    } else {
        (format!("{{\n{runtime}}}\n"), Role::Runtime)
    };
    Case { text, role, to: world::CONTRACT, calls: world::calls(&mut random) }
}

/// The code of an object.
fn code(random: &mut Random, finalize: &str, role: Role) -> String {
    let mut generator = Generator {
        values: Vec::new(),
        buffers: Vec::new(),
        funcs: Vec::new(),
        left: 0,
        depth: 0,
        section: 0,
        next_name: 0,
        quiet: 0,
        loops: 0,
        can_return: false,
        is_wild: random.once_in(10),
        random,
    };
    let mut funcs = String::new();
    for _ in 0..generator.random.below(4) {
        funcs += &generator.function();
    }
    let body = generator.entry(role);
    format!("{body}{funcs}{finalize}\n{HELPERS}")
}

impl Generator<'_> {
    fn entry(&mut self, role: Role) -> String {
        let mut text = match self.random.below(6) {
            0 => "let start_ := memoryguard(0x80) mstore(64, add(start_, 0x20))\n".to_owned(),
            1 => "mstore(64, memoryguard(0x100))\n".to_owned(),
            _ => "mstore(64, memoryguard(0x80))\n".to_owned(),
        };
        if role != Role::Creation {
            text += &format!("if lt(calldatasize(), 0x41) {{ {} }}\n", self.random.pick(&LEAVES));
        }
        for n in 0..3 {
            text += &format!("let v{n} := add(calldataload(0x{:x}), {})\n", 32 * n, self.number());
            self.values.push(format!("v{n}"));
        }
        self.can_return = role != Role::Creation;
        self.left = 24;
        for _ in 0..self.random.between(1, 3) {
            text += &self.allocation();
        }
        text += &self.statements(6);
        for index in 0..self.funcs.len() {
            text += &self.call_of(index).unwrap_or_default();
            text += "\n";
        }
        self.left = self.left.max(6);
        text += &self.statements(6);
        text += &self.end(role);
        text
    }

    /// Looks at everything that is still there, behind one more allocation.
    fn end(&mut self, role: Role) -> String {
        self.load();
        let mut text = "let last := mload(0x40)\n".to_owned();
        let mut seen = self.values.clone();
        for index in 0..self.buffers.len() {
            if self.buffers[index].is_allocated && seen.len() < 9 && !self.random.once_in(3) {
                seen.extend(self.read(index));
            }
        }
        for (index, value) in seen.iter().enumerate() {
            text += &format!("mstore(add(last, 0x{:x}), {value})\n", 32 * index);
        }
        let size = 32 * seen.len();
        text += &format!("sstore(50, keccak256(last, 0x{size:x}))\n");
        text += &match role {
            Role::Creation => {
                let place = self.random.pick(&["last", "allocate(datasize(\"b\"))"]);
                format!(
                    "let code_ := {place} datacopy(code_, dataoffset(\"b\"), datasize(\"b\")) return(code_, datasize(\"b\"))\n"
                )
            }
            _ if self.random.once_in(6) => format!("revert(last, 0x{size:x})\n"),
            _ => format!("return(last, 0x{size:x})\n"),
        };
        text
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}{}", self.next_name)
    }

    /// No other is like it.
    fn number(&mut self) -> String {
        self.next_name += 1;
        format!("0x{:x}", (self.next_name as u64 * 0x9e37_79b1) & 0xff_ffff_ffff)
    }

    fn variable(&mut self) -> String {
        self.random.pick(&self.values).clone()
    }

    /// Made of numbers, call data and contents, without effects.
    fn value(&mut self) -> String {
        match self.random.below(11) {
            0..4 => self.variable(),
            4 => self.number(),
            5 | 6 => format!("add({}, {})", self.variable(), self.number()),
            7 => format!("calldataload(0x{:x})", self.random.below(0x50)),
            _ => match self.any_buffer(|_| true).and_then(|index| self.read(index)) {
                Some(read) => format!("add({read}, {})", self.number()),
                None => self.variable(),
            },
        }
    }

    fn test(&mut self) -> String {
        let value = self.value();
        match self.random.below(6) {
            0 | 1 => format!("and({value}, 1)"),
            2 => format!("lt(and({value}, 15), {})", self.random.between(2, 14)),
            3 => format!("and({value}, 4)"),
            4 => "callvalue()".to_owned(),
            _ => format!("iszero(and({value}, 2))"),
        }
    }

    /// The pointer is loaded: what is not allocated is lost.
    fn load(&mut self) {
        assert_eq!(self.quiet, 0, "the pointer may not be loaded here");
        for buffer in &mut self.buffers {
            buffer.is_until_load = false;
            buffer.is_newest = false;
        }
    }
}
