//! Loops that count.
//!
//! Each program has functions and statements with loops (`rounds`): counters that begin at 0, at other numbers, above
//! their bound or at a word of call data, that step by 1, by a number that wraps soon, or differently on the ways
//! round; tests of all kinds at the head, in the middle, at the end, twice; other words that grow beside the counter,
//! in step with it or not. In a loop stand uses (`words`) of words that are linear in counters, as words and as
//! addresses in memory, call data and storage, and of words that are not.
//!
//! Varies: whether the counter itself is used in the loop or behind it, who else changes it, how the loop is left
//! (its test, a second one, `break`, `leave`, the end of the frame), where nested loops begin and end.
//!
//! Not taken for granted: that a loop runs, that a product with the counter or with its bound does not wrap, that the
//! bound is above the start, that it stays what it was, that counters in step stay so.
//!
//! Each program is called with bounds that wrap in products: 2^250 + 3, 2^251 + 5, 3 · 2^254 + 2 and the like. All
//! loops end: those whose bound is not small have fuel of their own, in a variable, in memory or in transient storage.
//!
//! Kept (A3, A13, A19): addresses in memory are masked, or made of counters that stay small; where allocated memory
//! lies is not seen.

mod rounds;
mod teeth;
mod words;

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::ways::{chosen, filled, sequence};
use crate::world;
use cairn_exec::{Message, U256};

const HELPERS: &str = "
function mix(s, x) -> r { r := add(mul(s, 0x10000000000000000000000000000000000000000000000000000000000001b3), x) r := xor(r, shr(97, r)) }
function hash(k) -> r { mstore(0, k) r := keccak256(0, 0x20) }
";

/// Bytes of memory in which all addresses lie that are made of counters.
const ARENA: usize = 0x1c00;
/// Words that may be assigned, `v0` and so on, and words that keep what they are, `c0` and so on.
const WORDS: usize = 3;
const KEPT: usize = 3;
/// Calls of each program.
const CALLS: usize = 9;

/// A loop around the place where text is made.
struct Round {
    counter: String,
    /// Words that grow beside the counter.
    partners: Vec<String>,
    /// Linear words that it uses again and again.
    words: Vec<String>,
    /// An address in the arena that grows beside the counter, too.
    place: Option<String>,
    /// The counter stays below 2^7.
    is_small: bool,
    /// The loop ends whatever becomes of its words.
    has_fuel: bool,
    /// `continue` leaves no step out.
    steps_always: bool,
    /// Nothing is said of the counter but words that are linear in it.
    is_linear: bool,
}

struct Generator<'a> {
    random: &'a mut Random,
    rounds: Vec<Round>,
    /// Text of the arena's address.
    arena: &'static str,
    left: usize,
    depth: usize,
    next_name: usize,
    n_fuels: usize,
    n_funcs: usize,
    is_function: bool,
}

pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let text = program(&mut random);
    let calls = (0..CALLS).map(|_| call(&mut random)).collect();
    Case { text, role: Role::Runtime, to: world::CONTRACT, calls }
}

/// Bounds and starts, some of them neighbours of others, with some words behind them to be read.
fn call(random: &mut Random) -> Message {
    let mut words: Vec<U256> = Vec::new();
    for _ in 0..WORDS + KEPT {
        let word = match random.below(8) {
            0 | 1 => U256::from(*random.pick(&[0_u64, 1, 2, 3, 5, 7, 31, 32])),
            2 if !words.is_empty() => {
                let near =
                    [U256::from(1), U256::from(5), U256::MAX, U256::MAX - U256::from(4), U256::from(96)];
                random.pick(&words).wrapping_add(*random.pick(&near))
            }
            3 => world::edge(random),
            _ => bound(random),
        };
        words.push(word);
    }
    let mut some: Vec<u8> = words.iter().flat_map(U256::to_be_bytes::<32>).collect();
    for _ in 0..random.below(4) {
        some.extend((U256::from(random.next()) << 9_usize).to_be_bytes::<32>());
        some.extend(vec![random.below(256) as u8; 32 * random.below(6)]);
    }
    Message::new(some)
}

/// A bound whose products with small numbers and with powers of two wrap, or that is next to one that does.
fn bound(random: &mut Random) -> U256 {
    let one = U256::from(1);
    let power = one << *random.pick(&[62_usize, 63, 64, 250, 250, 251, 251, 251, 252, 253, 254, 255, 255]);
    let few = U256::from(*random.pick(&[0_u64, 1, 2, 3, 5, 5]));
    match random.below(8) {
        0..5 => power + few,
        5 => power.wrapping_mul(U256::from(3)).wrapping_add(few),
        6 => U256::ZERO.wrapping_sub(power).wrapping_add(few),
        _ => U256::MAX - few,
    }
}

/// What the program begins with, and where the arena lies.
fn memory(random: &mut Random) -> (&'static str, &'static str) {
    *random.pick(&[
        ("mstore(0x40, memoryguard(0x2000))", "0x400"),
        ("mstore(0x40, memoryguard(0x2000))", "0x400"),
        ("mstore(0x40, memoryguard(0x2000)) let m := 0x400", "m"),
        ("mstore(0x40, memoryguard(0x400)) let m := mload(0x40) mstore(0x40, add(m, 0x1c00))", "m"),
        ("mstore(0x40, memoryguard(0x400)) let m := mload(0x40) mstore(0x40, add(m, 0x1c00))", "m"),
        ("", "0x400"),
    ])
}

fn program(random: &mut Random) -> String {
    let (start, arena) = memory(random);
    let mut generator = Generator {
        rounds: Vec::new(),
        arena,
        left: 0,
        depth: 0,
        next_name: 0,
        n_fuels: 0,
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
        let arena = self.arena;
        let mut text = format!(
            "{start}\ncalldatacopy({arena}, 0, 0x{ARENA:x})\ncalldatacopy(add({arena}, 0x7e0), 0, 0x400)\n"
        );
        for n in 0..WORDS {
            text += &format!("let v{n} := calldataload(0x{:x})\n", 32 * n);
        }
        for n in 0..KEPT {
            text += &format!("let c{n} := calldataload(0x{:x})\n", 32 * (WORDS + n));
        }
        text += "let r := 0\n";
        self.left = *self.random.pick(&[3, 8, 16]);
        text += &self.statements(3);
        for n in 0..self.n_funcs {
            let often = self.random.between(1, 2);
            for _ in 0..often {
                text += &self.fill(&format!("r := mix(r, f{n}({arena}, #x, [#x|#c|#s], [#c|#k|#s]))\n"));
            }
        }
        for n in 0..WORDS {
            text += &format!("r := mix(r, v{n})\n");
        }
        text + &format!("mstore(0, r)\nmstore(0x20, keccak256({arena}, 0x{ARENA:x}))\nreturn(0, 0x40)\n")
    }

    fn function(&mut self) -> String {
        self.is_function = true;
        self.left = 5;
        let outside = self.arena;
        self.arena = "m";
        let statements = self.statements(2);
        self.arena = outside;
        self.is_function = false;
        self.n_funcs += 1;
        format!(
            "function f{}(m, v0, c0, c1) -> r {{\nlet v1 := c0 let v2 := 1 let c2 := xor(c0, c1)\n{statements}\
             r := mix(r, xor(v0, mix(v1, v2)))\n}}\n",
            self.n_funcs - 1
        )
    }

    fn statements(&mut self, n: usize) -> String {
        sequence(self, n, |this| &mut this.left, Self::statement)
    }

    fn nested(&mut self) -> String {
        self.depth += 1;
        let n = self.random.between(1, 3);
        let text = self.statements(n);
        self.depth -= 1;
        text
    }

    fn statement(&mut self) -> String {
        let most_loops = if self.is_function { 2 } else { 3 };
        let is_loop = match self.rounds.len() {
            0 => !self.random.once_in(6),
            depth if depth < most_loops && self.depth < 4 => self.random.once_in(4),
            _ => false,
        };
        if is_loop { self.rounds() } else { self.statement_on_words() }
    }

    /// The template with its choices made and its places filled in: all are about one loop, mostly the innermost.
    fn fill(&mut self, template: &str) -> String {
        let n_rounds = self.rounds.len();
        let at = match n_rounds {
            0 => 0,
            n if self.random.once_in(4) => self.random.below(n),
            n => n - 1,
        };
        self.fill_about(at, template)
    }

    fn fill_about(&mut self, at: usize, template: &str) -> String {
        let text = chosen(template, self.random);
        let name = self.fresh("x");
        filled(&text, |letter| if letter == "n" { name.clone() } else { self.hole(letter, at) })
    }

    /// A name that no other variable has.
    fn fresh(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}{}_", self.next_name)
    }
}
