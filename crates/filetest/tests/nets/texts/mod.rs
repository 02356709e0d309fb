//! Texts and tables that programs write to memory word by word, and rarely as neatly as a compiler would.
//!
//! Varies: where they lie (behind the pointer, which is moved before, behind or not at all; at fixed addresses, over the
//! word of the pointer and around it; at addresses of call data), how addresses are written (up, down, from the end,
//! by a variable that moves), the order, holes, words that are written twice, beside their place or by bytes, short
//! and computed words among long ones, what stands between two stores (looks, calls and copies that write there, logs,
//! ends of the frame, branches, loops, questions for gas and the size of memory), functions that are given the address
//! or a word, words that other places want, too, texts of failures, and objects: constructors with arguments behind
//! their code, what they deploy, immutables, data and objects of any name that are read, copied and created.
//!
//! Not taken for granted: that a name is free, that words are written once, in a row, or at all, that an address is
//! above the one that it is made of, that nobody looks before a text is whole, that data ends where code does.
//!
//! Kept (A3, A17, A19): beside a pointer, a program looks at what it has written, and at no address.

mod rows;

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::skeleton::{self, Picture, Skeleton};
use crate::teeth::passes_have_something_to_do;
use crate::ways::{chosen, filled};
use crate::world;

const TEXTS: &str =
    "[ERC20: transfer amount exceeds b|alance, and then 0123456789abcde|a sentence that takes much space]";
const OTHER_WORDS: &str = "[0|0|1|0x20|not(0)|shl(224, 0x08c379a0)|\"short\"|shl(96, 0x5aaeb6053f3e94c9b9a0)|0xffff0000\
    |0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed|shl(8, 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed5aaeb6053f3e94c9b9a09f)]";
/// Names of data and of an object that is created; most are what a compiler might choose.
const NAMES: [&str; 3] =
    ["[constants|constants|d]", "[constants_1|constants1|constants_0|e]", "[constants_2|t]"];

/// What looks at a whole text: `#b` is its place, `#s` its size, `#a` an address in it, `#v` a variable, `#t` a test,
/// `#w` a word, `#k` a number.
const LOOKS: &str = "[#v := [add|xor](#v, keccak256(#b, #s)) log0(#a, 0x20)|log1(#b, #s, #w)|log0(#b, #s)\
    |#v := xor(mul(#v, 3), mload(#a)) log2(#b, #s, #v, #w)\
    |sstore(#k, xor(#v, mload(#a))) sstore(add(#k, 1), keccak256(#b, #s))|if #t { [return|revert](#b, #s) } #v := mload(#a)\
    |pop(call(gas(), 0xe1, 0, #b, #s, #b, 0x21)) #v := xor(#v, keccak256(#b, #s))\
    |if eq(mload(#a), #w) { #v := add(#v, 3) } sstore(#k, keccak256(#b, #s))\
    |mstore8(#a, #v) pop(delegatecall(gas(), 4, #a, 0x20, #b, 0x20)) #v := keccak256(#b, #s)]";
const FAILURES: &str = "[revert(#b, #s)|revert(#b, #s)|revert(#a, 0x20)|log0(#b, #s) invalid()]";
const ENDS: &str = "[return(#b, #s)|return(#b, #s)|revert(#b, #s)|sstore(1, keccak256(#b, #s))]";
/// `#f` is memory that texts do not reach; where there is a pointer, what it points to.
const CREATION: &str = "{ let at := #f datacopy(at, dataoffset(\"#c\"), datasize(\"#c\"))
    #v := xor(#v, extcodehash(create(0, at, datasize(\"#c\")))) }";
const DEPLOYMENT: &str =
    "{ let at := #f datacopy(at, dataoffset(\"r\"), datasize(\"r\")) setimmutable(at, \"i\", [#w|#v])
    return(at, datasize(\"r\")) }";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// All of it is the program's.
    Owned,
    Pointer,
    Guarded,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Neither data nor other objects.
    Alone,
    Called,
    /// As the former, with an immutable.
    Deployed,
    Constructor,
    /// Deploys a text.
    Created,
}

struct Program {
    memory: Memory,
    /// Where memory that is allocated begins.
    limit: usize,
    words: Vec<String>,
    names: [String; 3],
    asks_size: bool,
}

struct Writer<'a> {
    random: &'a mut Random,
    program: &'a Program,
    part: Part,
    /// What variables begin with.
    letter: &'static str,
    next_name: usize,
}

/// A program with its calls.
pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let role = match random.below(8) {
        0 => Role::Recompiled,
        1..4 => Role::Runtime,
        4 | 5 => Role::Creation,
        _ => Role::CreationWithArguments,
    };
    let kinds = [Memory::Owned, Memory::Pointer, Memory::Guarded];
    let memory = *random.pick(&kinds[..if role == Role::Recompiled { 2 } else { 3 }]);
    let program = Program {
        memory,
        limit: *random.pick(&[0x80, 0x80, 0x400]),
        words: (0..*random.pick(&[8, 24, 80])).map(|_| word(&mut random)).collect(),
        names: NAMES.map(|names| chosen(names, &mut random)),
        asks_size: role == Role::Runtime && memory == Memory::Owned && random.once_in(4),
    };
    let mut object = |part, name: &str, inner: &str| {
        let program = &program;
        Writer { random: &mut random, program, part, letter: "v", next_name: 0 }.object(name, inner)
    };
    let created = object(Part::Created, &program.names[2], "");
    let text = match role {
        Role::Recompiled => object(Part::Alone, "a", ""),
        Role::Runtime => object(Part::Called, "a", &created),
        Role::Creation | Role::CreationWithArguments => {
            let deployed = object(Part::Deployed, "r", &created);
            object(Part::Constructor, "a", &deployed)
        }
    };
    let calls = [world::calls(&mut random), world::calls(&mut random)].concat();
    Case { text, role, to: world::CONTRACT, calls }
}

fn word(random: &mut Random) -> String {
    match random.below(4) {
        0 => chosen(&format!("\"{TEXTS}\""), random),
        1 | 2 => {
            let [first, parts @ ..] = [(); 4].map(|()| random.next());
            let first = first >> *random.pick(&[4, 4, 4, 40]);
            parts.iter().fold(format!("0x{first:x}"), |word, part| word + &format!("{part:016x}"))
        }
        _ => chosen(OTHER_WORDS, random),
    }
}

impl Writer<'_> {
    fn object(&mut self, name: &str, inner: &str) -> String {
        let code = self.code();
        let [one, other, _] = &self.program.names;
        let text = chosen(&format!("\"{TEXTS}{TEXTS}\""), self.random);
        let data = format!(
            "data \"{one}\" [hex\"\"|{text}] data \"{other}\" [hex\"00\"|{text}] [|data \".metadata\" {text}]"
        );
        let data = if self.part == Part::Alone { String::new() } else { chosen(&data, self.random) };
        format!("object \"{name}\" {{ code {{\n{code}}}\n{inner}{data} }}\n")
    }

    fn code(&mut self) -> String {
        let special = |skeleton: &mut Skeleton<'_>| if skeleton.is_function { "#p" } else { "#v" }.to_owned();
        let end = |_: &mut Skeleton<'_>| "#e".to_owned();
        let picture = Picture { start: |_| String::new(), special, end, functions: "" };
        let text = match self.part {
            Part::Alone | Part::Called | Part::Deployed => skeleton::code(self.random, &picture),
            Part::Created => "let v0 := callvalue() let v1 := 7 let v2 := not(0) #v #e".to_owned(),
            Part::Constructor => with_arguments(&skeleton::code(self.random, &picture)),
        };
        let body = filled(&text, |letter| {
            self.letter = if letter == "p" { "p" } else { "v" };
            if letter == "e" { self.end() } else { self.statement() }
        });
        format!("{}\n{body}{}", self.start(), self.functions())
    }

    fn start(&self) -> String {
        match self.program.memory {
            Memory::Owned => String::new(),
            Memory::Pointer => format!("mstore(0x40, {})", self.program.limit),
            Memory::Guarded => format!("mstore(0x40, memoryguard({}))", self.program.limit),
        }
    }

    fn functions(&mut self) -> String {
        self.letter = "p";
        let mut text = format!("function fail(p0, p1) -> p2 {{\n{}}}\n", self.row(FAILURES));
        for name in ["put0", "put1"] {
            let stores = self.stores(&rows::Place { base: "b".into(), size: 0xa0, is_open: false });
            text += &format!("function {name}(b, p0, p1) -> p2 {{\n{stores}p2 := add(p0, not(p1)) }}\n");
        }
        text
    }

    fn end(&mut self) -> String {
        match self.part {
            Part::Alone | Part::Called | Part::Deployed => self.row(ENDS),
            Part::Created => self.row("mstore8(#b, 1) return(#b, #s)"),
            Part::Constructor => self.row(LOOKS) + &self.fill_in(DEPLOYMENT),
        }
    }

    fn statement(&mut self) -> String {
        let creates = matches!(self.part, Part::Called | Part::Deployed) && !self.program.asks_size;
        match self.random.below(16) {
            0 | 1 if self.program.memory != Memory::Owned => self.around_pointer(),
            2 | 3 => self.fill_in("if #t { #v := fail(#v, [#v|#w]) }"),
            4 if creates => self.fill_in(CREATION),
            _ => self.row(LOOKS),
        }
    }
}

/// The code of a constructor that takes its variables from what stands behind its code.
fn with_arguments(code: &str) -> String {
    let size = "datasize(\"a\")";
    let code =
        code.replacen("calldataload(0)", "mload(0)", 1).replacen("calldataload(0x20)", "mload(0x20)", 1);
    let code = code.replacen("calldataload(0x40)", &format!("sub(codesize(), {size})"), 1);
    format!("codecopy(0, {size}, 0x40)\n{code}")
}

#[test]
fn passes_that_copy_constants_have_something_to_do() {
    passes_have_something_to_do(case, &["copy-constants"], 16, 4);
}
