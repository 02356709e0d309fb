//! Programs in Solidity's manner that call other contracts: what they build for a call, what they make of the
//! answer, and how they pass a failure on.
//!
//! An *exchange* ([`exchange`]) builds an input ([`input`]): at the free pointer, in an allocated buffer, in scratch,
//! at 0x60, at addresses that the program keeps for itself; a selector stored first, last, shifted, at the end of a
//! word, byte by byte; words, copies of call data and memory, stores over each other, some in a branch. It calls a
//! contract that gives back 0 to 224 bytes or reverts with them, precompiles, an account without code, the program
//! itself; the output lies where the input was, beside it, over a part of it, in scratch, elsewhere. The size of the
//! answer is then checked or not ([`answer`]): in all ways, too little, on the wrong side, behind the load, by the
//! size of another call, in a loop, in one arm of two. The answer is loaded, hashed, logged, returned, handed on, at
//! once, behind other work, in other blocks, loops and functions. Failures ([`failure`]) are passed on whole and in
//! part, behind stores, other copies and other calls, by `revert` and by `return`.
//!
//! Varies: whether there is a frame, how much memory the program keeps below the free pointer, what stays in
//! scratch across a call (the first word of a key), whether more values live than the stack reaches.
//!
//! Not taken for granted: that an answer is as long as the output, or as the check says; that the call succeeded;
//! that nobody reads the input again, or what is in scratch.
//!
//! Kept (A17, A19): free memory is read where it was written since its pointer was loaded, and not behind another
//! load of the pointer.

mod answer;
mod exchange;
mod failure;
mod input;
mod statements;
mod teeth;

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::ways;
use crate::world;
use cairn_exec::{Message, U256};

const HELPERS: &str = include_str!("helpers.yul");

/// What the program answers to itself, as [`world::ANSWER`] does to others.
const LEAF: &str = "if or(eq(caller(), address()), eq(caller(), 0xe2)) {
    let first := byte(0, calldataload(0))
    mstore(0, add(calldataload(4), callvalue()))
    mstore(0x20, not(calldataload(0)))
    mstore(0x40, shl(9, calldataload(0x24)))
    mstore(0x60, calldatasize())
    let size := byte(add(24, and(first, 7)), 0x00011f2021406064)
    if eq(and(first, 0x18), 0x18) { revert(0, size) }
    return(0, size)
}
";

/// Calls beside those of every net.
const CALLS: usize = 4;

/// Bytes that an allocated buffer has.
const ALLOCATED: usize = 0xa0;

/// Memory with a name, and what is known of it.
#[derive(Clone)]
struct Place {
    /// An address: a variable, or a number.
    base: String,
    /// Bytes from the address on that the program wrote, or that nobody else may.
    known: usize,
    /// Bytes from the address on that may be written.
    room: usize,
    /// Whether another load of the pointer is another owner.
    is_free: bool,
}

impl Place {
    fn at(&self, offset: usize) -> String {
        match self.base.strip_prefix("0x") {
            Some(digits) => {
                let base = usize::from_str_radix(digits, 16).expect("a number");
                format!("0x{:x}", base + offset)
            }
            None if offset == 0 => self.base.clone(),
            None => format!("add({}, 0x{offset:x})", self.base),
        }
    }

    /// What begins there.
    fn from(&self, offset: usize) -> Self {
        let base = if offset == 0 { self.base.clone() } else { self.at(offset) };
        Self {
            base,
            known: self.known.saturating_sub(offset),
            room: self.room.saturating_sub(offset),
            is_free: self.is_free,
        }
    }
}

struct Generator<'a> {
    random: &'a mut Random,
    /// Variables that may be assigned.
    variables: [&'static str; 3],
    /// Allocated buffers in scope.
    buffers: Vec<Place>,
    /// Where the program's own memory from 0x80 on ends.
    own_end: usize,
    has_frame: bool,
    /// Further variables of the program that are read only: `w0` and so on.
    n_live: usize,
    n_functions: usize,
    left: usize,
    depth: usize,
    next_name: usize,
}

pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let text = program(&mut random);
    let mut calls = world::calls(&mut random);
    calls.extend((0..CALLS).map(|_| any_call(&mut random)));
    Case { text, role: Role::Runtime, to: world::CONTRACT, calls }
}

/// A call of words that have any bits.
fn any_call(random: &mut Random) -> Message {
    // Sometimes more than the program's own memory holds.
    let n_words = if random.once_in(3) { 20 } else { 5 };
    let words: Vec<U256> = (0..n_words).map(|_| U256::from(random.next()) << random.below(3)).collect();
    let message = world::words(&words);
    if random.once_in(3) { message.with_value(U256::from(random.below(5))) } else { message }
}

fn program(random: &mut Random) -> String {
    let has_frame = !random.once_in(3);
    let own_end = *random.pick(&[0x80, 0x80, 0x100, 0x120]);
    let mut generator = Generator {
        random,
        variables: ["a0", "a1", "a2"],
        buffers: Vec::new(),
        own_end,
        has_frame,
        n_live: 0,
        n_functions: 0,
        left: 0,
        depth: 1,
        next_name: 0,
    };
    let mut functions = String::new();
    for _ in 0..generator.random.below(3) {
        functions += &generator.function();
    }
    generator.variables = ["v0", "v1", "v2"];
    generator.depth = 0;
    generator.left = 9;
    // More than the stack reaches.
    generator.n_live = if has_frame && generator.random.once_in(4) { 20 } else { 0 };
    let n = generator.random.between(2, 5);
    let body = generator.statements(n);
    let end = generator.end();
    let live: String = (0..generator.n_live)
        .map(|index| format!("let w{index} := add(sload({}), calldataload({}))\n", 100 + index, 5 * index))
        .collect();
    let pointer = if has_frame { format!("memoryguard(0x{own_end:x})") } else { format!("0x{own_end:x}") };
    format!(
        "{{\nmstore(0x40, {pointer})\n{LEAF}let v0 := calldataload(0) let v1 := calldataload(0x20) \
         let v2 := calldataload(0x40)\n{live}{body}{end}\n{functions}{HELPERS}}}\n"
    )
}

impl Generator<'_> {
    fn fresh(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}{}", self.next_name)
    }

    fn variable(&mut self) -> String {
        (*self.random.pick(&self.variables)).to_owned()
    }

    /// Without effects, and without a look at memory.
    fn value(&mut self) -> String {
        let variable = self.variable();
        match self.random.below(9) {
            0 | 1 if self.n_live > 0 => format!("w{}", self.random.below(self.n_live)),
            0..4 => variable,
            4 => format!("add({variable}, {})", self.random.below(300)),
            5 => format!("calldataload(0x{:x})", self.random.below(0x50)),
            6 => format!("0x{:x}", self.random.next()),
            7 => format!("0x{:016x}{:048x}", self.random.next(), self.random.next()),
            _ => (*self.random.pick(&["0", "1", "caller()", "not(0)", "sload(3)", "0x60"])).to_owned(),
        }
    }

    fn test(&mut self) -> String {
        let value = self.value();
        match self.random.below(5) {
            0 => format!("iszero({value})"),
            1 => "callvalue()".to_owned(),
            2 => format!("gt({value}, 0xffff)"),
            _ => format!("and({value}, {})", self.random.pick(&[1, 1, 2, 4, 3])),
        }
    }

    /// One of these, each filled in: `#v` is a variable, `#x` a value, `#t` a test, `#n` a new name, `#o` an
    /// address of a word in scratch, and what the caller says.
    fn one_of(&mut self, templates: &[&str], others: &[(&str, &str)]) -> String {
        let template = *self.random.pick(templates);
        self.filled(template, others)
    }

    fn filled(&mut self, template: &str, others: &[(&str, &str)]) -> String {
        let name = self.fresh("x");
        ways::filled(template, |letter| match letter {
            "v" => self.variable(),
            "x" => self.value(),
            "t" => self.test(),
            "n" => name.clone(),
            "o" => format!("0x{:x}", self.random.pick(&[0, 0, 0, 0x20, 0x20, 4, 0x1c])),
            other => others
                .iter()
                .find(|(key, _)| *key == other)
                .map(|(_, text)| (*text).to_owned())
                .expect("a placeholder"),
        })
    }
}
