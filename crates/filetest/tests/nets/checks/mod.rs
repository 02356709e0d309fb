//! Rows of checks that end in a failure, as Solidity's decoders of call data have them.
//!
//! Each program reads offsets, lengths and words of call data and checks them one after the other ([`rows`],
//! [`conditions`]): against 2^64 − 1 and other bounds, against the end of call data in sums with constants and with
//! `32 * length`, by every comparison, strict and not, signed and not; words that have to be clean, or equal behind
//! masks, and sums that must not wrap ([`masks`]). Most checks of a program fail in the same way, some give back data,
//! halt, or end well. Between two checks stands nothing, arithmetic, or what others see ([`statements`]); a check can
//! be there twice, be absent, come late, or ask nearly what another asked: with a constant that is one more, with one
//! word less, signed. Functions have rows of their own and are called with other offsets and ends; rows stand in loops
//! and branches.
//!
//! Behind and between the checks, comparisons like those that were checked are *values* that the program gives back:
//! what was concluded from a check, rightly or not, is seen there.
//!
//! Not taken for granted: that offsets and lengths are bounded, that sums don't wrap, that the end of call data is
//! behind its beginning, that masks cover what they are compared with, that a check that was passed once was the same
//! check.
//!
//! Each program is called with call data that passes most checks, and with such data with a word or its size changed
//! to something at a border ([`calls`]). Of many such calls those are made that end in different checks ([`marks`]).
//!
//! Kept (A3, A17, A19): where there may be a frame, addresses lie in low memory that the program keeps for itself. The
//! word of the pointer is only used as such where it is one, and where free memory lies is not seen.

mod calls;
mod conditions;
mod marks;
mod masks;
mod rows;
mod statements;
mod teeth;

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::ways::{chosen, filled};
use crate::world;

const HELPERS: &str = "
function mix(s, x) -> r { r := add(mul(s, 0x1000000000000000000000000000001b3), x) r := xor(r, shr(97, r)) }
function fail() { revert(0, 0) }
function panic(k) { mstore(0, shl(224, 0x4e487b71)) mstore(4, k) revert(0, 0x24) }
";

/// What most checks of a program do where they fail.
const FAILURES: [&str; 14] = [
    "revert(0, 0)",
    "revert(0, 0)",
    "revert(0, 0)",
    "revert(0, 0)",
    "revert(0, 0)",
    "revert(0, 0)",
    "fail()",
    "fail()",
    "revert(0x40, 0)",
    "panic(0x41)",
    "mstore(0, 7) revert(0, 0x20)",
    "revert(#Z, 0x60)",
    "return(#Z, 0x60)",
    "invalid()",
];

/// How programs end whose calls pass all checks.
const ENDS: [&str; 5] = [
    "mstore(#Z, r) return(#Z, 0x20)",
    "mstore(0xa0, r) return(#Z, 0x80)",
    "mstore(0x1c0, r) return(#Z, sub(0x1e0, #Z))",
    "mstore(0xa0, r) return(#Z, sub(0x1c0, #Z))",
    "sstore(9, r) mstore(#Z, r) revert(#Z, 0xc0)",
];

/// Variables that may be used, by what they are.
#[derive(Clone, Default)]
struct Scope {
    offsets: Vec<String>,
    lengths: Vec<String>,
    /// Offsets to which something was added.
    places: Vec<String>,
    words: Vec<String>,
    /// Sums and tests that there were, to be used again.
    sums: Vec<String>,
    tests: Vec<String>,
    /// Where call data ends.
    end: String,
    is_function: bool,
}

/// Whose memory is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// The program's up to 0x200, and it keeps the pointer to free memory.
    Kept,
    /// The program's up to 0x200.
    Guarded,
    /// All is the program's.
    Owned,
}

struct Generator<'a> {
    random: &'a mut Random,
    scope: Scope,
    /// Bytes of call data in front of the first word.
    base: usize,
    failure: &'static str,
    memory: Memory,
    /// Whether transient storage is used, which older forks don't have.
    is_transient: bool,
    depth: usize,
    n_funcs: usize,
    n_rows: usize,
    next_name: usize,
}

/// A program with its calls.
pub(crate) fn case(seed: u64) -> Case {
    let case = with_marks(seed);
    Case { text: marks::removed(&case.text), ..case }
}

/// The same with marks.
fn with_marks(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let base = if random.once_in(3) { 0 } else { 4 };
    let text = program(&mut random, base);
    let role = if random.once_in(8) { Role::Recompiled } else { Role::Runtime };
    let mut case = Case { text, role, to: world::CONTRACT, calls: calls::candidates(&mut random, base) };
    let ends = marks::ends(&case).unwrap_or_default();
    calls::choose(&mut case.calls, &ends);
    case
}

fn program(random: &mut Random, base: usize) -> String {
    let failure = *random.pick(&FAILURES);
    let mut generator = Generator {
        scope: Scope::default(),
        base,
        failure,
        memory: *random.pick(&[Memory::Kept, Memory::Guarded, Memory::Owned]),
        is_transient: random.once_in(4),
        depth: 0,
        n_funcs: 0,
        n_rows: 0,
        next_name: 0,
        random,
    };
    let mut funcs = String::new();
    for _ in 0..generator.random.below(3) {
        funcs += &generator.function();
    }
    let body = generator.entry();
    format!("{{\n{{\n{body}}}\n{funcs}{HELPERS}}}\n")
}

impl Generator<'_> {
    fn entry(&mut self) -> String {
        let mut text = match self.memory {
            Memory::Kept => "mstore(0x40, memoryguard(0x200))\n",
            Memory::Guarded => "pop(memoryguard(0x200))\n",
            Memory::Owned => *self.random.pick(&["", "mstore(0x40, 0x80)\n"]),
        }
        .to_owned();
        text += "let r := 0\n";
        let end = self.random.pick(&["calldatasize()", "calldatasize()", "let e := calldatasize()"]);
        self.scope = Scope::default();
        self.scope.end = if let Some(definition) = end.strip_prefix("let ") {
            text += &format!("let {definition}\n");
            "e".to_owned()
        } else {
            (*end).to_owned()
        };
        text += &self.read_words();
        for _ in 0..self.random.between(1, 2) {
            text += &self.row();
            text += &self.uses();
        }
        let end = *self.random.pick(&ENDS);
        text + &self.fill(end) + "\n"
    }

    /// The words of the head that are no offsets.
    fn read_words(&mut self) -> String {
        let mut text = String::new();
        for slot in [3, 4] {
            let name = self.fresh("w");
            text += &format!("let {name} := {}\n", self.slot(slot));
            self.scope.words.push(name);
        }
        text
    }

    /// A word of the head.
    fn slot(&self, index: usize) -> String {
        format!("calldataload(0x{:x})", self.base + 32 * index)
    }

    /// A function with a row of checks: where what begins at `o` has its content, its length, and a word made of it.
    fn function(&mut self) -> String {
        self.scope = Scope { end: "e".to_owned(), is_function: true, ..Scope::default() };
        self.scope.places.push("o".to_owned());
        self.scope.offsets.push("o".to_owned());
        let row = self.function_row();
        let uses = if self.random.once_in(2) { self.uses() } else { String::new() };
        let (place, length) = (self.hole("p"), self.hole("l"));
        let index = self.n_funcs;
        self.n_funcs += 1;
        format!("function d{index}(o, e) -> p, l, r {{\n{row}{uses}p := {place} l := {length}\n}}\n")
    }

    /// The template with its choices made and its places filled in.
    fn fill(&mut self, template: &str) -> String {
        let text = chosen(template, self.random);
        let name = self.fresh("x");
        filled(&text, |letter| if letter == "n" { name.clone() } else { self.hole(letter) })
    }

    /// A name that no other variable has.
    fn fresh(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}{}_", self.next_name)
    }

    /// What stands in a template as `#` and the letter.
    fn hole(&mut self, letter: &str) -> String {
        match letter {
            "o" => self.one(|scope| &scope.offsets, 0),
            "l" => self.one(|scope| &scope.lengths, 2),
            "p" => self.one(|scope| &scope.places, 1),
            "w" => self.one(|scope| &scope.words, 3),
            "v" => self.fill("[#o|#l|#p|#w|#w]"),
            "E" => self.end(),
            "f" => self.end_of_check(),
            "S" => self.sum(),
            "T" => self.test_like_others(),
            "b" => self.base.to_string(),
            other => {
                let template = conditions::hole(other).or_else(|| masks::hole(other));
                let template = template.or_else(|| self.hole_of_statements(other));
                self.fill(template.expect("a hole has a template"))
            }
        }
    }

    /// One of these variables, or a word of the head.
    fn one(&mut self, of: fn(&Scope) -> &Vec<String>, slot: usize) -> String {
        let names = of(&self.scope);
        let Some(last) = names.last() else { return self.slot(slot) };
        // What is read is mostly checked next.
        if self.random.once_in(2) { last.clone() } else { self.random.pick(names).clone() }
    }

    fn end(&mut self) -> String {
        let end = self.scope.end.clone();
        match self.random.below(12) {
            0 => "calldatasize()".to_owned(),
            1 => self.fill(&format!("sub({end}, [1|4|0|0x20])")),
            2 => format!("add(4, sub({end}, 4))"),
            _ => end,
        }
    }
}
