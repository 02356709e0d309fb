//! Features that compilers and people combine, and that no other net has in one program.
//!
//! The other nets each have one picture; here is what stands beside each other in real Yul of several makers:
//!
//! * *Memory* (`memory`) is kept in three ways: behind `memoryguard` with a pointer that is moved and moved back, with
//!   a pointer without a guard, or raw, as written by hand, where `msize` is asked. In all of them scratch and the zero
//!   slot 0x60 hold words across calls, branches and functions; copies overlap; what calls give back covers a part of
//!   what is hashed next; return data is copied behind another call; huge offsets come with lengths that are zero,
//!   as constants or only at run time; call data is shorter and longer than the program thinks, and offsets in it lie.
//! * *State* (`state`): storage and transient storage have the same keys, some of which are equal only at run time; the
//!   program calls itself, directly and through others, and what it calls writes, reverts, logs, gives back or sends
//!   the balance away, between two loads of one word, balance or hash of code; upper bits of addresses are dirty; code
//!   that is written by hand or is an object of its own is created, with arguments behind it, and called.
//! * *Flow* (`flow`): `continue` and `break` in switches in loops whose ends of rounds have effects of their own;
//!   `leave` in the head of a loop and in the end of a round; blocks 30 deep; functions in blocks that have the names
//!   of those in other blocks; functions with up to five results that leave anywhere; functions that never return or
//!   end the frame on one way only, by `stop`, `return`, `revert`, `invalid` and `selfdestruct`; recursion; up to 40
//!   variables that live across all that.
//! * *Objects* (`objects`): constructors that read arguments behind their code, return early on one way, and set
//!   immutables that loops load; objects with the same names in different places; a library's address.
//!
//! Varies beside that: fork, expected executions and level (`harness`), calls in a row that find what those before
//! have left.
//!
//! Not taken for granted: that a key, an address or a length is another one because it is written another way; that a
//! call of another contract leaves this one's storage, balance or return data alone; that code behind a call runs.
//!
//! Kept: A3 and A4 (fixed addresses lie in what the program owns, those that vary are made of call data and counters
//! and are bounded); A5 (no place or size of code is seen but as what follows it); A17 and A19 (buffers are filled
//! where they are allocated and used through their names, and not behind a pointer that was moved back); calls of the
//! program by itself end soon and have gas to spare (A1). Programs without calls are held against the interpreter of
//! Yul, too (`interpreted`).

mod flow;
mod interpreted;
mod memory;
mod objects;
mod state;
mod teeth;

pub(crate) use interpreted::run as run_interpreted;

pub(crate) use crate::constants::variants;
use crate::harness::{Case, Role};
use crate::random::Random;
use crate::ways;
use crate::world;
use cairn_exec::{Message, U256};

const HELPERS: &str = include_str!("helpers.yul");

/// Statements that a call of a program runs, roughly.
const BUDGET: usize = 400;
/// What a call of another contract counts as.
const CALL_COST: usize = 20;
/// Calls of each program.
const CALLS: usize = 7;
/// Bytes from address 0 on that are the program's where there is a pointer, but for the pointer's word.
const OWN: usize = 0x100;
/// The same where all memory is.
const RAW: usize = 0x200;

/// How a program keeps its memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// A pointer, and frames below it.
    Guarded,
    /// A pointer and no guard.
    Pointer,
    /// All memory at fixed places.
    Raw,
}

impl Memory {
    fn any(random: &mut Random) -> Self {
        if random.once_in(2) { Memory::Guarded } else { Memory::without_guard(random) }
    }

    fn without_guard(random: &mut Random) -> Self {
        *random.pick(&[Memory::Pointer, Memory::Raw])
    }
}

/// What a program may do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Everything.
    All,
    /// No calls and nothing of other accounts.
    Calm,
    /// What the interpreter of Yul knows.
    Interpreted,
}

#[derive(Clone)]
struct Function {
    name: String,
    params: usize,
    results: usize,
    cost: usize,
}

/// Memory that the program may use: an address and a number of bytes.
#[derive(Clone)]
struct Region {
    base: String,
    size: usize,
}

struct Generator<'a> {
    random: &'a mut Random,
    memory: Memory,
    scope: Scope,
    /// Whether what only new forks have may stand there.
    is_new: bool,
    /// Whether the code has immutables and an object to create.
    has_objects: bool,
    /// Variables that may be assigned.
    variables: Vec<String>,
    /// Words that are read only: counters.
    fixed: Vec<String>,
    functions: Vec<Function>,
    buffers: Vec<Region>,
    is_function: bool,
    is_in_loop: bool,
    left: usize,
    depth: usize,
    next_name: usize,
    /// Executions of the place for one of the function, and statements of it that run.
    times: usize,
    cost: usize,
}

pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let scope = if random.once_in(4) { Scope::Calm } else { Scope::All };
    let to = match scope {
        Scope::Calm => *random.pick(&[
            world::CONTRACT,
            world::STATIC_PROBER,
            world::CALL_PROBER,
            world::DELEGATE_PROBER,
            world::STATIC_TO_DELEGATE,
        ]),
        Scope::All | Scope::Interpreted => world::CONTRACT,
    };
    let (text, role) = if random.once_in(2) {
        (objects::program(&mut random, scope), Role::CreationWithArguments)
    } else {
        (plain(&mut random, scope), Role::Runtime)
    };
    let calls = (0..CALLS).map(|_| call(&mut random)).collect();
    Case { text, role, to, calls }
}

/// A call with data of any length, most of them long enough for the program not to take it for one by itself.
fn call(random: &mut Random) -> Message {
    let n_words = random.between(3, 7);
    let mut bytes = Vec::new();
    for _ in 0..n_words {
        let word = match random.below(6) {
            0..3 => U256::from(random.below(9)),
            3 => U256::from(32 * random.below(8)),
            4 => U256::from(random.next()),
            _ => world::edge(random),
        };
        bytes.extend(word.to_be_bytes::<32>());
    }
    let size = match random.below(8) {
        0 => random.below(0x42),
        1 | 2 => random.between(0x41, bytes.len()),
        _ => bytes.len(),
    };
    bytes.truncate(size);
    let message = Message::new(bytes);
    if random.once_in(3) { message.with_value(U256::from(random.below(9))) } else { message }
}

/// A program of one object.
fn plain(random: &mut Random, scope: Scope) -> String {
    let memory = Memory::any(random);
    format!("object \"p\" {{ code {{\n{}}} }}\n", code(random, memory, scope, false))
}

/// The statements of a called code.
fn code(random: &mut Random, memory: Memory, scope: Scope, has_objects: bool) -> String {
    let mut generator = Generator::new(random, memory, scope, has_objects);
    let start = generator.start();
    let leaf = match scope {
        Scope::Interpreted => "",
        Scope::All | Scope::Calm => {
            "if eq(caller(), linkersymbol(\"lib.sol:L\")) { stop() }\nif lt(calldatasize(), 0x41) { leaf() }\n"
        }
    };
    let functions = generator.functions(4);
    let variables = generator.variables(&["calldataload(#o)", "calldataload(#o)", "#w", "sload(and(#w, 3))"]);
    let body = generator.entry(9);
    let end = generator.end();
    format!("{start}{leaf}{variables}{body}{end}{functions}{HELPERS}")
}

impl<'a> Generator<'a> {
    fn new(random: &'a mut Random, memory: Memory, scope: Scope, has_objects: bool) -> Self {
        Generator {
            is_new: !random.once_in(3),
            random,
            memory,
            scope,
            has_objects,
            variables: Vec::new(),
            fixed: Vec::new(),
            functions: Vec::new(),
            buffers: Vec::new(),
            is_function: false,
            is_in_loop: false,
            left: 0,
            depth: 0,
            next_name: 0,
            times: 1,
            cost: 0,
        }
    }

    fn start(&mut self) -> String {
        match self.memory {
            Memory::Guarded => format!("mstore(0x40, memoryguard(0x{OWN:x}))\n"),
            Memory::Pointer => format!("mstore(0x40, 0x{OWN:x})\n"),
            Memory::Raw => String::new(),
        }
    }

    /// Functions that the entry and later ones call, `n - 1` at most.
    fn functions(&mut self, n: usize) -> String {
        let mut text = String::new();
        for index in 0..self.random.below(n) {
            let prefix = (*self.random.pick(&["p", "p.", "$p_", "mload_"])).to_owned();
            text += &self.function(&format!("f{index}"), &prefix);
        }
        text
    }

    /// The variables of the entry: some, or more than the stack reaches.
    fn variables(&mut self, values: &[&str]) -> String {
        let n = match (self.memory, self.random.below(6)) {
            (Memory::Guarded, 0) => 40,
            (Memory::Guarded, 1) => 20,
            _ => self.random.between(2, 5),
        };
        let mut text = String::new();
        for index in 0..n {
            let value = self.one_of(values);
            text += &format!("let v{index} := {value}\n");
            self.variables.push(format!("v{index}"));
        }
        text
    }

    fn entry(&mut self, n: usize) -> String {
        (self.left, self.cost) = (3 * n, 0);
        self.statements(n)
    }

    /// Keeps in storage what variables, buffers, the program's own memory and transient storage hold.
    fn seen(&mut self) -> String {
        let mut text = String::new();
        for (index, names) in self.variables.chunks(6).enumerate() {
            let mix = names.iter().fold("1".to_owned(), |mix, name| format!("add(mul({mix}, 31), {name})"));
            text += &format!("sstore({}, {mix})\n", 100 + index);
        }
        if self.is_new {
            text += "sstore(65, add(tload(0), mul(31, add(tload(1), mul(31, tload(2))))))\n";
        }
        let own = match self.memory {
            Memory::Raw => format!("keccak256(0, 0x{RAW:x})"),
            Memory::Guarded | Memory::Pointer => {
                format!("xor(keccak256(0, 0x40), keccak256(0x60, 0x{:x}))", OWN - 0x60)
            }
        };
        let memory = self.buffers.iter().fold(own, |mix, Region { base, size }| {
            format!("add(mul({mix}, 31), keccak256({base}, 0x{size:x}))")
        });
        text + &format!("sstore(62, {memory})\n")
    }

    fn end(&mut self) -> String {
        let mut text = self.seen();
        if self.memory == Memory::Pointer && self.random.once_in(4) {
            text += "sstore(61, mload(0x40))\n";
        }
        let ends: &[&str] = match self.memory {
            Memory::Raw => &["sstore(63, msize())\n", "return(0x1f, 0x81)\n", "revert(0, 0x40)\n"],
            Memory::Guarded | Memory::Pointer => &[
                "return(#1, 0x20)\n",
                "return(#2, 0x40)\n",
                "return(#1, 0x20)\n",
                "revert(#1, 0x20)\n",
                "stop()\n",
            ],
        };
        text + &self.one_of(ends)
    }

    fn statements(&mut self, n: usize) -> String {
        ways::sequence(self, n, |this| &mut this.left, Self::statement)
    }

    fn statement(&mut self) -> String {
        self.cost += self.times;
        match self.random.below(10) {
            0..4 => self.flow(),
            4..7 => self.memory(),
            _ => self.state(),
        }
    }

    /// Statements of an inner block, which run so many times each time that the block is reached.
    fn nested(&mut self, times: usize) -> String {
        let lengths = (self.variables.len(), self.fixed.len(), self.functions.len(), self.buffers.len());
        self.times *= times;
        self.depth += 1;
        let n = self.random.between(1, 3);
        let text = self.statements(n);
        self.depth -= 1;
        self.times /= times;
        self.variables.truncate(lengths.0);
        self.fixed.truncate(lengths.1);
        self.functions.truncate(lengths.2);
        self.buffers.truncate(lengths.3);
        text
    }

    fn fresh(&mut self) -> String {
        self.next_name += 1;
        format!("x_{}", self.next_name)
    }

    fn variable(&mut self) -> String {
        self.random.pick(&self.variables).clone()
    }

    fn is_affordable(&self, cost: usize) -> bool {
        self.cost + cost * self.times <= BUDGET
    }
}
