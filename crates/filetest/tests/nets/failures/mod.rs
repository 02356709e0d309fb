//! What programs do when they fail: checks, messages, blocks that are alike but for little.
//!
//! Programs are full of checks: functions of some arguments and a pointer that fail in one block, in
//! many, in loops, amid recursion, behind other effects, with results and without, called once and often;
//! and branches, loops and switches that fail where they stand. What fails stores, copies, hashes, loops,
//! branches, logs, calls (itself, too) and writes storage before it ends: by `revert`, `invalid`, a
//! function that never returns, endless recursion; or it does not fail: it stops or returns in one arm or all of
//! them, or goes on.
//!
//! Failing parts are made of a few *families* ([`failing`]): a list of statements with holes, filled anew at each
//! place, so that parts are the same, differ in a constant, a value, an opcode, a callee, the order of
//! operands, a length, an account, the end, in one place of several that held the same, or everywhere.
//!
//! Buffers ([`buffers`]) are allocated before a branch, by helpers that check and that do not, for constant and computed sizes,
//! some of which fail the check; filled by stores, loops, copies, calls, from other buffers that change
//! right behind; used on one way, the other, both, after the join, in a loop that changes them, through
//! a variable that may hold another buffer, through memory. Between the fill and the branch the
//! program hashes, loads, logs, calls, allocates.
//!
//! Varies: memory with frames and without; the checks of the helper that allocates; modules that look at the pointer.
//!
//! Not taken for granted: that who fails writes nothing that is seen (a call that stops in one arm does), that
//! a failing part is reached once, or that it is reached at all.
//!
//! Each program is called as it is, and by itself: then it goes on with what it was told, whether that
//! succeeded or not, under call, static call and delegate call.
//!
//! Kept (A17, A19): what is read was written, and through the word that was loaded for it; no pointer's
//! number is seen but in programs that look at a pointer behind which nothing is allocated.

mod buffers;
mod failing;
mod functions;
mod statements;
mod teeth;

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::world;
use cairn_exec::Message;

const HELPERS: &str = include_str!("helpers.yul");

/// Ways to move the pointer; the first ones check it.
const FINALIZE: [&str; 4] = [
    "function finalize(p, size) {
        let next := add(p, and(add(size, 31), not(31)))
        if or(gt(next, 0xffffffffffffffff), lt(next, p)) { panic(0x41) }
        mstore(64, next)
    }",
    "function finalize(p, size) {
        let next := and(add(add(p, size), 31), not(31))
        if or(gt(next, 0xffffffffffffffff), lt(next, p)) {
            mstore(0, shl(224, 0x4e487b71)) mstore(4, 0x41) revert(0, 0x24)
        }
        mstore(64, next)
    }",
    "function finalize(p, size) { mstore(64, add(p, and(size, 0xfff))) }",
    "function finalize(p, size) { mstore(64, and(add(add(p, and(size, 0xffff)), 31), not(31))) }",
];

/// What a program does when it calls itself with little.
const LEAVES: [&str; 4] = [
    "let p := allocate(0x20) mstore(p, caller()) return(p, 0x20)",
    "calldatacopy(0, 0, calldatasize()) revert(0, calldatasize())",
    "sstore(5, callvalue()) stop()",
    "panic(and(calldataload(0), 0xff))",
];

/// Programs that look at the pointer say so.
const LOOKS: &str = "// Looks at the pointer.";

/// Words of every buffer that are written, at least.
const WORDS: usize = 4;

struct Generator<'a> {
    random: &'a mut Random,
    families: Vec<failing::Family>,
    /// Variables that may be assigned.
    values: Vec<String>,
    /// Pointers to [`WORDS`] words that are allocated and written.
    buffers: Vec<String>,
    funcs: Vec<functions::Func>,
    texts: usize,
    left: usize,
    depth: usize,
    next_name: usize,
    is_checked: bool,
    /// The pointer's number is seen.
    looks: bool,
}

pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let text = program(&mut random);
    let mut calls = world::calls(&mut random);
    for _ in 0..3 {
        let words: Vec<u8> = (0..3).flat_map(|_| world::edge(&mut random).to_be_bytes::<32>()).collect();
        calls.push(Message::new([words, vec![0]].concat()));
    }
    Case { text, role: Role::Runtime, to: world::CONTRACT, calls }
}

fn program(random: &mut Random) -> String {
    let finalize = random.below(FINALIZE.len());
    let mut generator = Generator {
        families: Vec::new(),
        values: Vec::new(),
        buffers: Vec::new(),
        funcs: Vec::new(),
        texts: 0,
        left: 0,
        depth: 0,
        next_name: 0,
        is_checked: finalize < 2,
        looks: random.once_in(10),
        random,
    };
    for _ in 0..generator.random.between(1, 3) {
        let family = generator.family();
        generator.families.push(family);
    }
    let mut funcs = String::new();
    for _ in 0..generator.random.between(1, 4) {
        funcs += &generator.text_function();
    }
    for _ in 0..generator.random.between(1, 3) {
        funcs += &generator.small_function();
    }
    for _ in 0..generator.random.below(3) {
        funcs += &generator.function();
    }
    let body = generator.entry();
    let head = if generator.looks { LOOKS } else { "" };
    format!("{head}\n{{\n{body}{funcs}{}\n{HELPERS}}}\n", FINALIZE[finalize])
}

impl Generator<'_> {
    fn entry(&mut self) -> String {
        // Where frames lie in memory, the pointer's number is of the level.
        let mut text = match self.random.below(3) {
            _ if self.looks => "mstore(64, 0x80)\n".to_owned(),
            0 => "mstore(64, 0x80)\n".to_owned(),
            _ => "mstore(64, memoryguard(0x80))\n".to_owned(),
        };
        text += "if eq(calldatasize(), 0x61) { driver() }\n";
        text += &format!("if lt(calldatasize(), 0x41) {{ {} }}\n", self.random.pick(&LEAVES));
        for n in 0..3 {
            text += &format!("let v{n} := calldataload(0x{:x})\n", 32 * n);
            self.values.push(format!("v{n}"));
        }
        self.left = 26;
        text += &self.statements(9);
        for index in 0..self.funcs.len() {
            for _ in 0..self.random.between(1, 3) {
                text += &self.call_of(index);
                text += "\n";
            }
        }
        self.left = self.left.max(6);
        text += &self.statements(4);
        text + &self.end()
    }

    /// Looks at everything that is still there.
    fn end(&mut self) -> String {
        let mut text = String::new();
        let mut seen = self.values.clone();
        for buffer in self.buffers.clone() {
            if seen.len() < 8 && !self.random.once_in(3) {
                seen.push(self.read(&buffer));
            }
        }
        if self.looks && self.random.once_in(2) {
            text += "sstore(61, mload(0x40))\n";
        }
        text += "let last := mload(0x40)\n";
        for (index, value) in seen.iter().enumerate() {
            text += &format!("mstore(add(last, 0x{:x}), {value})\n", 32 * index);
        }
        let size = 32 * seen.len();
        let end = if self.random.once_in(6) { "revert" } else { "return" };
        text + &format!("sstore(50, keccak256(last, 0x{size:x}))\n{end}(last, 0x{size:x})\n")
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}{}", self.next_name)
    }

    /// Of any length.
    fn number(&mut self) -> String {
        let number = self.random.next();
        match self.random.below(8) {
            0..3 => format!("0x{:x}", number & 0xff),
            3 => format!("0x{:x}", number & 0xffff_ffff),
            4 => format!("shl(224, 0x{:x})", number & 0xffff_ffff),
            5 => {
                format!("\"{}\"", ["unpaid", "too late", "not the owner of this", "x"][self.random.below(4)])
            }
            _ => format!("0x{number:016x}{:016x}", number.rotate_left(17)),
        }
    }

    fn variable(&mut self) -> String {
        self.random.pick(&self.values).clone()
    }

    /// Made of numbers, call data, storage and contents, without effects.
    fn value(&mut self) -> String {
        match self.random.below(12) {
            0..5 => self.variable(),
            5 => self.number(),
            6 => format!("add({}, {})", self.variable(), self.number()),
            7 => format!("xor({}, {})", self.variable(), self.variable()),
            8 => format!("calldataload(0x{:x})", self.random.below(0x50)),
            9 => format!("sload({})", self.random.between(1, 4)),
            _ if self.buffers.is_empty() => self.variable(),
            _ => {
                let buffer = self.random.pick(&self.buffers).clone();
                self.read(&buffer)
            }
        }
    }

    /// What is seldom true.
    fn rare_test(&mut self) -> String {
        let bits = *self.random.pick(&[3, 7, 7, 15, 15, 31]);
        let (value, number) = (self.value(), self.random.below(bits + 1));
        match self.random.below(6) {
            0 => format!("iszero(and({value}, {bits}))"),
            1 => format!("gt(and({value}, 0xff), {})", 0xff - 0xff / bits),
            2 => "gt(callvalue(), 6)".to_owned(),
            _ => format!("eq(and({value}, {bits}), {number})"),
        }
    }

    fn test(&mut self) -> String {
        let value = self.value();
        match self.random.below(4) {
            0 => self.rare_test(),
            1 => format!("lt(and({value}, 15), {})", self.random.between(2, 14)),
            _ => format!("and({value}, {})", self.random.pick(&[1, 2, 4, 16])),
        }
    }
}
