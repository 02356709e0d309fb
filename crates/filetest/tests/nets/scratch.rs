//! Programs that use the first words of memory as scratch, the word of the free pointer among them.
//!
//! A *section* saves the word at 0x40 (in a variable, in scratch, in transient storage, through
//! functions), puts anything there, and puts the pointer back, or ends the frame. Inside, the word is
//! data: loaded, hashed, copied, covered by unaligned stores, copies and outputs of calls, tested as a
//! number, carried through loops, arguments and results. Outside, it is a pointer: memory is
//! allocated from it, with Solidity's check and without, and numbers may be tested that every pointer
//! answers alike. Both stand in loops, branches, functions, before reverts and around calls of
//! precompiles, of other contracts and of the program itself.
//!
//! Varies: what lies at 0x40 (sums and differences with a pointer among it), where the pointer is kept,
//! the bound of reserved memory, whether there is a frame, sizes that are allocated.
//!
//! Not taken for granted: that only pointers come to 0x40; that a parameter, a result, a value that
//! merges or a sum with a pointer is a pointer; that allocations are small; that words are aligned.
//!
//! Kept (A3, A17): memory between the reserved bound and the heap stays untouched; stores that hit
//! 0x40 have constant addresses; no pointer's number is seen.

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::world;
use std::fmt::Write;

/// Statements of a program, all bodies counted once.
const SIZE: usize = 14;

/// A program with its calls.
pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let text = program(&mut random);
    Case { text, role: Role::Runtime, to: world::CONTRACT, calls: world::calls(&mut random) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    /// 0x40 holds the free pointer.
    Pointer,
    /// 0x40 holds data.
    Data,
}

struct Func {
    name: &'static str,
    /// What it must find at 0x40, if that matters.
    needs: Option<Word>,
}

struct Generator<'a> {
    random: &'a mut Random,
    has_guard: bool,
    /// End of reserved memory.
    limit: usize,
    word: Word,
    /// Data comes to 0x40 in this way only, so that nothing else tells that it is no pointer.
    only_way: Option<usize>,
    /// 0x60 holds the pointer.
    keeps_in_scratch: bool,
    /// Variables with data.
    data: Vec<String>,
    /// Addresses of 64 bytes of the program's own.
    places: Vec<String>,
    funcs: Vec<Func>,
    left: usize,
    depth: usize,
    next_name: usize,
}

fn program(random: &mut Random) -> String {
    let has_guard = !random.once_in(6);
    let limit = *random.pick(&[0x80, 0x80, 0x80, 0x80, 0x60, 0xa0, 0x100]);
    let only_way = if random.once_in(2) { Some(random.below(8)) } else { None };
    let mut generator = Generator {
        has_guard,
        only_way,
        limit: if has_guard { limit } else { 0x80 },
        word: Word::Pointer,
        keeps_in_scratch: false,
        data: Vec::new(),
        places: Vec::new(),
        funcs: Vec::new(),
        left: SIZE,
        depth: 0,
        next_name: 0,
        random,
    };
    let mut funcs = String::new();
    for name in ["f", "g"] {
        if generator.random.once_in(2) {
            funcs += &generator.function(name);
        }
    }
    let entry = generator.entry();
    format!("{{\n{entry}{funcs}{}}}\n", HELPERS)
}

/// Ways to handle the pointer through functions.
const HELPERS: &str = "
    function allocate(size) -> place {
        place := mload(0x40)
        let end := add(place, and(add(size, 31), not(31)))
        if or(gt(end, 0xffffffffffffffff), lt(end, place)) { revert(0, 0) }
        mstore(0x40, end)
    }
    function take(size) -> place { place := mload(0x40) mstore(0x40, add(place, size)) }
    function save() -> place { place := mload(0x40) }
    function restore(place) { mstore(0x40, place) }
    function pass(place, also) -> same { same := place if also { sstore(3, also) } }
    function fill(value) { mstore(0x40, value) }
    function look() -> value { value := mload(0x40) }
";

impl Generator<'_> {
    fn entry(&mut self) -> String {
        let bound = self.limit;
        let start = match self.has_guard {
            true => format!("memoryguard(0x{bound:x})"),
            false => format!("0x{bound:x}"),
        };
        let mut text = format!("mstore(0x40, {start})\n");
        text += &self.leaf();
        for index in 0..self.random.between(2, 3) {
            writeln!(text, "let v{index} := calldataload(0x{:x})", 32 * index).expect("a string");
            self.data.push(format!("v{index}"));
        }
        self.left = self.left.max(6);
        text += &self.statements(6);
        let mix = self.data.iter().fold("1".to_owned(), |mix, name| format!("add(mul({mix}, 31), {name})"));
        text += &format!("sstore(9, {mix})\n");
        match self.random.below(4) {
            0 => text + &format!("mstore(0x00, {mix}) revert(0x00, 0x20)\n"),
            1 => {
                text + "let last := allocate(0x40) mstore(last, v0) mstore(add(last, 0x20), v1) return(last, 0x40)\n"
            }
            _ => text + &format!("mstore(0x20, {mix}) return(0x00, 0x40)\n"),
        }
    }

    /// What the program does when it calls itself.
    fn leaf(&mut self) -> String {
        let leaves = [
            "mstore(0x00, add(calldataload(0x00), 1)) return(0x00, 0x40)",
            "sstore(5, add(sload(5), 1)) stop()",
            "let p := allocate(0x40) mstore(p, caller()) return(p, 0x20)",
            "mstore(0x40, calldataload(0x00)) if and(mload(0x40), 1) { revert(0x40, 0x20) } return(0x40, 0x20)",
            "calldatacopy(0x20, 0x00, 0x40) mstore(0x00, shr(255, mload(0x40))) return(0x00, 0x20)",
        ];
        let n_leaves = if self.only_way.is_some() { 3 } else { leaves.len() };
        let body = *self.random.pick(&leaves[..n_leaves]);
        format!("if lt(calldatasize(), 0x41) {{ {body} }}\n")
    }

    /// A function that leaves at 0x40 what it finds there, unless it says otherwise.
    fn function(&mut self, name: &'static str) -> String {
        let outer = std::mem::take(&mut self.data);
        self.data = ["a", "b", "r"].map(|part| format!("{name}_{part}")).to_vec();
        let needs = *self.random.pick(&[None, Some(Word::Pointer), Some(Word::Data)]);
        self.word = needs.unwrap_or(Word::Pointer);
        let n = self.random.between(1, 3);
        self.depth = 1;
        let body = if needs.is_none() { self.section() } else { self.nested(n) };
        self.depth = 0;
        self.word = Word::Pointer;
        self.data = outer;
        self.funcs.push(Func { name, needs });
        format!(
            "function {name}({name}_a, {name}_b) -> {name}_r {{\n{body}{name}_r := add({name}_r, {name}_a)\n}}\n"
        )
    }

    fn statements(&mut self, n: usize) -> String {
        let lengths = (self.data.len(), self.places.len());
        let mut text = String::new();
        for _ in 0..n {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            text += &self.statement();
            text += "\n";
        }
        // Names go out of scope with the block, unless it is the outermost one.
        if self.depth > 0 {
            self.data.truncate(lengths.0);
            self.places.truncate(lengths.1);
        }
        text
    }

    fn nested(&mut self, n: usize) -> String {
        self.depth += 1;
        let text = self.statements(n);
        self.depth -= 1;
        text
    }

    fn statement(&mut self) -> String {
        let is_deep = self.depth >= 3;
        match self.random.below(26) {
            0..3 => self.assignment(),
            3..7 => self.write(),
            7..12 if !is_deep => self.section(),
            12..14 if !is_deep => self.loop_(),
            14..16 if !is_deep => self.branch(),
            16..18 => self.foreign_call(),
            18..20 => self.internal_call(),
            20..22 if self.word == Word::Pointer => self.allocation(),
            22 if self.word == Word::Pointer => self.pointer_test(),
            20 if self.word == Word::Data => self.fill(),
            21 | 22 if self.word == Word::Data => self.observation(),
            23 => self.early_end(),
            24 => {
                let (start, size) = self.readable_range();
                format!("log1(0x{start:x}, 0x{size:x}, {})", self.value(1))
            }
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) -> String {
        let value = self.value(3);
        if self.random.once_in(4) {
            let name = self.fresh("w");
            self.data.push(name.clone());
            return format!("let {name} := {value}");
        }
        format!("{} := {value}", self.variable())
    }

    fn variable(&mut self) -> String {
        self.random.pick(&self.data).clone()
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}{}", self.next_name)
    }

    /// Saves what lies at 0x40, puts data there, and restores.
    fn section(&mut self) -> String {
        let before = (self.word, self.keeps_in_scratch);
        let name = self.fresh("m");
        let can_keep = self.limit >= 0x80 && !self.keeps_in_scratch;
        let (save, restore) = match self.random.below(12) {
            0 => (format!("let {name} := save()"), format!("restore({name})")),
            // The same functions as for data.
            1 => (format!("let {name} := look()"), format!("fill({name})")),
            2 => (format!("let {name} := mload(0x40)"), format!("restore({name})")),
            3 if can_keep => {
                self.keeps_in_scratch = true;
                (
                    "mstore(0x60, mload(0x40))".to_owned(),
                    "mstore(0x40, mload(0x60)) mstore(0x60, 0)".to_owned(),
                )
            }
            4 => {
                let key = 100 + self.next_name;
                (format!("tstore({key}, mload(0x40))"), format!("mstore(0x40, tload({key}))"))
            }
            5 => {
                let also = self.value(1);
                (format!("let {name} := pass(mload(0x40), {also})"), format!("mstore(0x40, pass({name}, 0))"))
            }
            6 => (
                format!("let {name} := mload(0x40) let {name}_ := {name}"),
                format!("if calldatasize() {{ {name}_ := {name} }} mstore(0x40, {name}_)"),
            ),
            _ => (format!("let {name} := mload(0x40)"), format!("mstore(0x40, {name})")),
        };
        // What is put there is computed while the pointer still lies there.
        let first = self.fill();
        self.word = Word::Data;
        let n = self.random.between(1, 4);
        let body = self.nested(n);
        let last = match self.random.below(3) {
            0 => String::new(),
            _ => self.observation(),
        };
        (self.word, self.keeps_in_scratch) = before;
        format!("{{\n{save}\n{first}\n{body}{last}\n{restore}\n}}")
    }

    /// Puts data at 0x40, all of the word.
    fn fill(&mut self) -> String {
        let (value, variable) = (self.value(2), self.variable());
        let n_ways = 12;
        match self.only_way.unwrap_or_else(|| self.random.below(n_ways)) {
            0 => format!("fill({value})"),
            1 => format!("mstore(0x40, sub({}, {variable}))", self.variable()),
            2 => format!("mstore(0x40, and({value}, {variable}))"),
            3 => format!("mstore(0x40, add({value}, {variable}))"),
            4 => "mstore(0x40, mload(0x20))".to_owned(),
            5 => format!("mstore(0x40, {variable})"),
            6 => format!("fill({variable})"),
            7 => format!("mstore(0x40, pass({variable}, 0))"),
            8 => "calldatacopy(0x20, 0x00, 0x40)".to_owned(),
            9 => "mcopy(0x40, 0x00, 0x20)".to_owned(),
            _ => format!("mstore(0x40, {value})"),
        }
    }

    /// Looks at the word at 0x40 while it is data.
    fn observation(&mut self) -> String {
        let variable = self.variable();
        let look = *self.random.pick(&["mload(0x40)", "mload(0x40)", "mload(0x40)", "look()"]);
        let seen = match self.random.below(9) {
            0 => format!("shr(255, {look})"),
            1 => format!("slt({look}, 0)"),
            2 => format!("iszero(shr(63, {look}))"),
            3 => format!("lt({look}, {})", self.value(1)),
            4 => format!("gt({look}, 0xffffffffffffffff)"),
            5 => format!("sar(254, {look})"),
            6 => "keccak256(0x00, 0x60)".to_owned(),
            7 => format!("lt(add({look}, 0x20), {look})"),
            _ => look.to_owned(),
        };
        match self.random.below(3) {
            0 => format!("if {seen} {{ {variable} := add({variable}, 1) }}"),
            _ => format!("{variable} := add({variable}, {seen})"),
        }
    }

    /// A range of scratch that may be written, or read; (start, size).
    fn readable_range(&mut self) -> (usize, usize) {
        let end = if self.keeps_in_scratch { 0x60 } else { self.limit };
        match self.word {
            Word::Pointer if end > 0x60 && self.random.once_in(4) => (0x60, end - 0x60),
            Word::Pointer => {
                let start = self.random.below(0x30);
                (start, self.random.between(1, 0x40 - start))
            }
            Word::Data => {
                let start = *self.random.pick(&[0, 0, 1, 0x20, 0x20, 0x21, 0x3f, 0x40, 0x40, 0x5f]);
                (start, self.random.between(1, (end - start).min(0x60)))
            }
        }
    }

    /// As [`Self::readable_range`], but where data comes to 0x40 in one way only, no other covers it.
    fn writable_range(&mut self) -> (usize, usize) {
        let word = self.word;
        if self.only_way.is_some() {
            self.word = Word::Pointer;
        }
        let range = self.readable_range();
        self.word = word;
        range
    }

    /// The address of a word in scratch.
    fn word_address(&mut self) -> usize {
        let end = if self.keeps_in_scratch { 0x60 } else { self.limit };
        match self.word {
            Word::Pointer if end >= 0x80 && self.random.once_in(4) => 0x60,
            Word::Pointer => *self.random.pick(&[0, 0, 0x20, 0x20, 1, 0x1f]),
            Word::Data if self.random.once_in(3) => self.random.below(end - 0x20 + 1),
            Word::Data => *self.random.pick(&[0, 0x20, 0x40, 0x40, 0x40]),
        }
    }

    fn write(&mut self) -> String {
        let value = self.value(2);
        match self.random.below(10) {
            0 => {
                let (start, size) = self.writable_range();
                let from = self.random.below(0x50);
                format!("calldatacopy(0x{start:x}, 0x{from:x}, 0x{size:x})")
            }
            1 => {
                let (start, _) = self.writable_range();
                format!("mstore8(0x{start:x}, {value})")
            }
            2 => {
                let ((to, size), (from, other)) = (self.writable_range(), self.readable_range());
                format!("mcopy(0x{to:x}, 0x{from:x}, 0x{:x})", size.min(other))
            }
            3 => format!("sstore({}, {value})", self.random.below(3)),
            4 => match self.place() {
                Some(place) => format!("mstore({place}, {value})"),
                None => format!("tstore({}, {value})", self.random.below(3)),
            },
            _ if self.word == Word::Data && self.only_way.is_some() => self.fill(),
            _ => format!("mstore(0x{:x}, {value})", self.word_address()),
        }
    }

    fn place(&mut self) -> Option<String> {
        if self.places.is_empty() {
            return None;
        }
        let place = self.random.pick(&self.places).clone();
        Some(if self.random.once_in(2) { format!("add({place}, 0x20)") } else { place })
    }

    fn loop_(&mut self) -> String {
        let (counter, n) = (self.fresh("i"), self.random.between(1, 3));
        let outer = self.left;
        let header =
            format!("for {{ let {counter} := 0 }} lt({counter}, {n}) {{ {counter} := add({counter}, 1) }}");
        let lengths = self.data.len();
        let n = self.random.between(1, 3);
        let mut body = self.nested(n);
        if self.random.once_in(4) {
            let leave = *self.random.pick(&["break", "continue"]);
            body += &format!("if {} {{ {leave} }}\n", self.test());
        }
        self.data.truncate(lengths);
        self.left = self.left.min(outer);
        format!("{header} {{\n{body}}}")
    }

    fn branch(&mut self) -> String {
        let test = self.test();
        let n = self.random.between(1, 2);
        let body = self.nested(n);
        if self.random.once_in(3) {
            let n = self.random.between(1, 2);
            let other = self.nested(n);
            return format!("switch {test} case 0 {{\n{body}}} default {{\n{other}}}");
        }
        format!("if {test} {{\n{body}}}")
    }

    fn test(&mut self) -> String {
        let value = self.value(1);
        match self.random.below(3) {
            0 => format!("and({value}, 1)"),
            1 => format!("slt({value}, 5)"),
            _ => value,
        }
    }

    /// A call of a precompile, of another contract or of the program itself.
    fn foreign_call(&mut self) -> String {
        let (input, input_size) = self.readable_range();
        let (output, output_size) = self.writable_range();
        let input_size = input_size.min(0x40);
        let buffers = format!("0x{input:x}, 0x{input_size:x}, 0x{output:x}, 0x{output_size:x}");
        let is_hash = self.random.once_in(3);
        let (name, account) = match self.random.below(8) {
            _ if is_hash => ("staticcall", "2".to_owned()),
            0..3 => ("staticcall", "4".to_owned()),
            3 => ("staticcall", "address()".to_owned()),
            4 => ("call", "address()".to_owned()),
            5 => ("call", world::ECHO.to_string()),
            6 => ("call", world::CALLBACK.to_string()),
            _ => ("delegatecall", world::COUNTER.to_string()),
        };
        let gas = if name == "staticcall" && account.len() == 1 { "gas()" } else { "300000" };
        let value = if name == "call" { "0, " } else { "" };
        let call = format!("{name}({gas}, {account}, {value}{buffers})");
        let variable = self.variable();
        match self.random.below(4) {
            0 => format!("if iszero({call}) {{ revert(0, 0) }}"),
            1 => format!("{variable} := add({variable}, {call})"),
            2 => format!("pop({call}) {variable} := add({variable}, returndatasize())"),
            _ => format!("pop({call})"),
        }
    }

    fn internal_call(&mut self) -> String {
        let word = self.word;
        let usable: Vec<&str> = self
            .funcs
            .iter()
            .filter(|func| func.needs.is_none_or(|needs| needs == word))
            .map(|func| func.name)
            .collect();
        if usable.is_empty() || self.keeps_in_scratch {
            return self.assignment();
        }
        let name = *self.random.pick(&usable);
        let (target, a, b) = (self.variable(), self.value(1), self.value(1));
        format!("{target} := {name}({a}, {b})")
    }

    /// Takes memory from the free pointer and uses it.
    fn allocation(&mut self) -> String {
        let place = self.fresh("p");
        let size = match self.random.below(4) {
            0 => format!("add(0x40, and({}, 0xff))", self.value(1)),
            1 => "0x60".to_owned(),
            _ => "0x40".to_owned(),
        };
        let value = self.value(2);
        let allocate = match self.random.below(4) {
            0 => format!("let {place} := take({size})"),
            1 => format!("let {place} := mload(0x40) mstore(0x40, add({place}, {size}))"),
            _ => format!("let {place} := allocate({size})"),
        };
        self.places.push(place.clone());
        format!("{allocate} mstore({place}, {value})")
    }

    /// What every pointer answers alike, and what a sum with an unbounded size does not.
    fn pointer_test(&mut self) -> String {
        let variable = self.variable();
        let seen = match self.random.below(6) {
            0 => format!("lt(mload(0x40), 0x{:x})", self.limit),
            1 => "shr(64, mload(0x40))".to_owned(),
            2 => "slt(mload(0x40), 0)".to_owned(),
            3 => "iszero(mload(0x40))".to_owned(),
            _ => {
                let (name, size) = (self.fresh("m"), self.variable());
                // A multiple of 64 KB: whether the sum wraps says nothing of where the frame ends.
                return format!(
                    "{{ let {name} := mload(0x40) mstore(0x40, add({name}, and({size}, not(0xffff)))) {variable} := add({variable}, shr(255, mload(0x40))) mstore(0x40, {name}) }}"
                );
            }
        };
        format!("{variable} := add({variable}, {seen})")
    }

    fn early_end(&mut self) -> String {
        let (start, size) = self.readable_range();
        let end = *self.random.pick(&["revert", "revert", "revert", "return"]);
        let test = self.value(1);
        format!("if eq(and({test}, 7), {}) {{ {end}(0x{start:x}, 0x{size:x}) }}", self.random.below(8))
    }

    fn value(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.once_in(3) {
            return self.simple_value();
        }
        let (a, b) = (self.value(depth - 1), self.value(depth - 1));
        match self.random.below(12) {
            0..2 => format!("add({a}, {b})"),
            2..4 => format!("sub({a}, {b})"),
            4 => format!("and({a}, {b})"),
            5 => format!("mul({a}, {b})"),
            6 => format!("xor({a}, {b})"),
            7 => format!("not({a})"),
            8 => format!("shr(and({a}, 255), {b})"),
            9 => format!("slt({a}, {b})"),
            10 => {
                let (start, size) = self.readable_range();
                format!("keccak256(0x{start:x}, 0x{size:x})")
            }
            _ => format!("or({a}, {b})"),
        }
    }

    fn simple_value(&mut self) -> String {
        match self.random.below(12) {
            0..4 => self.variable(),
            4..7 => format!("mload(0x{:x})", self.word_address()),
            7 => format!("calldataload(0x{:x})", 32 * self.random.below(4)),
            8 => self.place().map_or_else(|| "caller()".to_owned(), |place| format!("mload({place})")),
            9 => format!("sload({})", self.random.below(3)),
            _ => (*self.random.pick(&[
                "0",
                "1",
                "5",
                "0x40",
                "0x80",
                "not(0)",
                "0xffffffffffffffff",
                "shl(255, 1)",
                "shl(63, 1)",
            ]))
            .to_owned(),
        }
    }
}
