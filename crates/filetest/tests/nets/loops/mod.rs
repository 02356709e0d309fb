//! Loops, the order of words, and what loops leave alone.
//!
//! Programs are made of templates: branches on comparisons and tests of the same words on both ways, behind the join
//! and in later rounds (`order`); counters with several ways round, checked sums, differences and products
//! (`counters`); loops that write to memory, storage and transient storage beside a word, over its edge or on it, by
//! stores of words and bytes, copies and calls (`places`); words that each round makes smaller or cleans, what no round
//! changes, counting down and bits that are asked for (`rounds`); sorting, searching, prefix sums, rings and matrices as
//! Solidity writes them, with a step or a test that is another one (`arrays`).
//!
//! Varies: where the words of memory lie (allocated, at numbers; with frames and without), how one base is
//! computed twice, where counters begin, how they step and who else sets them, which comparison asks.
//!
//! Not taken for granted: that sums and differences do not wrap, that divisors are not 0, that words differ, that a
//! loop runs at all or leaves as it found them the words it tests, that a parameter is what most callers pass.
//!
//! Each program is called with words that are equal, neighbours, small, and at borders. All loops end: each
//! function has fuel for all of its loops together.
//!
//! Kept (A3, A17, A19): all addresses are in one allocation, which is filled before it is looked at; counters that
//! make addresses begin between −4 and 8 and step by at most 3; no pointer's number is seen.

mod arrays;
mod counters;
mod order;
mod places;
mod rounds;
mod teeth;
mod template;

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::ways::sequence;
use crate::world;
use cairn_exec::{Message, U256};

const HELPERS: &str = include_str!("helpers.yul");

/// Bytes of the allocation in which all places lie.
const ARENA: usize = 0x3800;
/// Where bases begin in it: counters reach as far below as above.
const MIDDLE: usize = 0x1400;
/// Words that may be assigned: `v0` and so on.
const WORDS: usize = 4;
/// Calls of each program.
const CALLS: usize = 8;

/// What statements are about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Topic {
    Order,
    Counters,
    Places,
    Arrays,
    Rounds,
}

struct Generator<'a> {
    random: &'a mut Random,
    topics: Vec<Topic>,
    /// Words in scope that are not assigned.
    derived: Vec<String>,
    /// Counters in scope; those of `small` make addresses.
    counters: Vec<String>,
    small: Vec<String>,
    /// Addresses of words in the arena.
    bases: Vec<String>,
    /// Text of the arena's address and of the place that keeps a base.
    arena: &'static str,
    keep: &'static str,
    left: usize,
    depth: usize,
    loops: usize,
    next_name: usize,
    n_funcs: usize,
    is_function: bool,
}

pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let text = program(&mut random);
    let calls = (0..CALLS).map(|_| call(&mut random)).collect();
    Case { text, role: Role::Runtime, to: world::CONTRACT, calls }
}

/// Words that are related, with some bytes behind them.
fn call(random: &mut Random) -> Message {
    let one = U256::from(1);
    let base = world::edge(random);
    let mut bytes = Vec::new();
    for _ in 0..6 {
        let word = match random.below(12) {
            0..5 => U256::from(random.below(9)),
            5 | 6 => base,
            7 => base.wrapping_add(one),
            8 => base.wrapping_sub(one),
            9 => U256::ZERO.wrapping_sub(base),
            _ => world::edge(random),
        };
        bytes.extend(word.to_be_bytes::<32>());
    }
    bytes.extend(vec![0x5a; *random.pick(&[0, 0, 1, 31, 32, 64])]);
    Message::new(bytes)
}

/// Where memory lies: what the program begins with, the arena's address, the place that keeps a base.
fn memory(random: &mut Random) -> (&'static str, &'static str, &'static str) {
    *random.pick(&[
        ("mstore(64, memoryguard(0x80)) let m := allocate(0x3800) let t := allocate(0x20)", "m", "t"),
        ("mstore(64, memoryguard(0x80)) let m := allocate(0x3800) let t := allocate(0x20)", "m", "t"),
        ("mstore(64, memoryguard(0x3a00))", "0x100", "0x80"),
        ("mstore(64, memoryguard(0x3a00)) let m := 0x100 let t := 0x80", "m", "t"),
        ("mstore(64, 0x3a00)", "0x100", "0x80"),
        ("mstore(64, 0x80) let m := allocate(0x3800) let t := allocate(0x20)", "m", "t"),
    ])
}

fn program(random: &mut Random) -> String {
    let (start, arena, keep) = memory(random);
    let mut topics = vec![Topic::Order];
    for _ in 0..2 {
        topics.push(*random.pick(&[
            Topic::Order,
            Topic::Counters,
            Topic::Places,
            Topic::Places,
            Topic::Arrays,
            Topic::Rounds,
            Topic::Rounds,
        ]));
    }
    let mut generator = Generator {
        topics,
        derived: Vec::new(),
        counters: Vec::new(),
        small: Vec::new(),
        bases: Vec::new(),
        arena,
        keep,
        left: 0,
        depth: 0,
        loops: 0,
        next_name: 0,
        n_funcs: 0,
        is_function: false,
        random,
    };
    let mut funcs = String::new();
    for _ in 0..generator.random.below(3) {
        funcs += &generator.function();
    }
    let body = generator.entry(start);
    format!("{{\n{{\n{body}}}\n{funcs}{HELPERS}}}\n")
}

impl Generator<'_> {
    fn entry(&mut self, start: &str) -> String {
        let (arena, keep) = (self.arena, self.keep);
        let mut text = format!("{start}\ncalldatacopy({arena}, calldatasize(), 0x{ARENA:x})\n");
        for n in 0..WORDS {
            text += &format!("let v{n} := calldataload(0x{:x})\n", 32 * n);
        }
        text += &self.locals();
        text += &format!("mstore({keep}, a)\nlet r := 0\n");
        self.left = 16;
        text += &self.statements(7);
        for n in 0..WORDS {
            text += &format!("r := mix(r, v{n})\n");
        }
        let end = if self.random.once_in(6) { "revert" } else { "return" };
        text + &format!("mstore(0, r)\nmstore(32, keccak256({arena}, 0x{ARENA:x}))\n{end}(0, 64)\n")
    }

    /// A function that later code calls; it finds the arena as it is.
    fn function(&mut self) -> String {
        self.is_function = true;
        self.left = 8;
        let mut text = format!("function f{}(m, t, v0, v1) -> r {{\n", self.n_funcs);
        let outside = (self.arena, self.keep);
        (self.arena, self.keep) = ("m", "t");
        text += "let v2 := xor(v0, v1) let v3 := 1\n";
        text += &self.locals();
        text += &self.statements(4);
        (self.arena, self.keep) = outside;
        self.is_function = false;
        self.n_funcs += 1;
        text + "r := mix(r, mix(v2, v3))\n}\n"
    }

    /// Fuel and bases, with words at and around them.
    fn locals(&mut self) -> String {
        self.derived.clear();
        self.bases = vec!["a".to_owned(), "b".to_owned()];
        let arena = self.arena;
        let apart = *self.random.pick(&[0x20, 0x40, 0x100, 0x100, 0x21, 0x1f]);
        let fuel = self.random.between(12, 24);
        let length = self.fill("[3|4|1|0|and(v0, 7)|v1|v0]");
        let other = self.fill("[#w|#k|5]");
        format!(
            "let fuel := {fuel}\nlet a := add({arena}, 0x{MIDDLE:x}) let b := add({arena}, 0x{:x})\n\
             mstore(a, {length}) mstore(b, {other})\n",
            MIDDLE + apart
        )
    }

    /// Declarations go out of scope behind them, unless they are the outermost ones.
    fn statements(&mut self, n: usize) -> String {
        sequence(self, n, |this| &mut this.left, Self::statement)
    }

    fn nested(&mut self) -> String {
        let scope = (self.derived.len(), self.bases.len());
        self.depth += 1;
        let n = self.random.between(1, 3);
        let text = self.statements(n);
        self.depth -= 1;
        self.derived.truncate(scope.0);
        self.bases.truncate(scope.1);
        text
    }

    fn statement(&mut self) -> String {
        if self.n_funcs > 0 && !self.is_function && self.random.once_in(8) {
            return self.call();
        }
        match *self.random.pick(&self.topics.clone()) {
            Topic::Order => self.order(),
            Topic::Counters => self.counter(),
            Topic::Places => self.place(),
            Topic::Arrays if self.depth == 0 && !self.is_function => self.array(),
            Topic::Arrays => self.order(),
            Topic::Rounds => self.round(),
        }
    }

    fn call(&mut self) -> String {
        let (func, arena, keep) = (self.random.below(self.n_funcs), self.arena, self.keep);
        let target = self.fill("[r|r|#v]");
        format!("{target} := f{func}({arena}, {keep}, {}, {})", self.fill("#x"), self.fill("#x"))
    }
}
