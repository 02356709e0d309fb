//! Statements that use long words, and what lives across them.

use crate::random::Random;
use crate::world;
use std::fmt::Write;

/// Statements of the code of an object, and of a function.
const SIZE: usize = 22;
const SIZE_OF_FUNCTION: usize = 8;
/// Blocks in blocks.
const MAX_DEPTH: usize = 3;

/// Where a statement stands.
#[derive(Clone, Copy)]
struct Place {
    is_function: bool,
    is_loop: bool,
    depth: usize,
}

/// What the code of an object is written with.
pub(super) struct Body<'a> {
    pub(super) random: &'a mut Random,
    /// The long words.
    words: Vec<String>,
    /// Once in so many operands is a long word.
    rarity: usize,
    /// Whether the frame may end before the last statement.
    may_end: bool,
    functions: Vec<&'static str>,
    variables: Vec<String>,
    place: Place,
    left: usize,
    next: usize,
}

impl<'a> Body<'a> {
    pub(super) fn new(random: &'a mut Random, words: Vec<String>, may_end: bool) -> Self {
        let rarity = random.between(1, 3);
        let place = Place { is_function: false, is_loop: false, depth: 0 };
        Body {
            random,
            words,
            rarity,
            functions: Vec::new(),
            variables: Vec::new(),
            place,
            left: 0,
            next: 0,
            may_end,
        }
    }

    /// The outermost statements, which leave the sum of everything that lived across them in `sum`.
    pub(super) fn main(&mut self, n_live: usize) -> String {
        self.place = Place { is_function: false, is_loop: false, depth: 0 };
        (self.variables, self.left) = (Vec::new(), SIZE);
        let mut text = String::new();
        for index in 0..n_live {
            let first = format!("add(calldataload({}), timestamp())", 32 * (index % 5));
            self.declare(&mut text, "v", &first);
        }
        text += &self.statements(10);
        for name in self.functions.clone() {
            let target = self.variable();
            writeln!(text, "{target} := add({target}, {name}({}, {}))", self.value(1), self.word())
                .expect("a string");
        }
        let sum = self.sum();
        text + &format!("let sum := {sum}\nsstore(9, sum)\n")
    }

    /// A function of two words that may call those before it.
    pub(super) fn function(&mut self, name: &'static str, n_live: usize) -> String {
        self.place = Place { is_function: true, is_loop: false, depth: 1 };
        (self.variables, self.left) = (["a", "b", "r"].map(str::to_owned).to_vec(), SIZE_OF_FUNCTION);
        let mut text = format!("function {name}(a, b) -> r {{\n");
        if self.random.once_in(2) {
            text += &format!("r := {}\n", self.word());
        }
        for index in 0..n_live {
            self.declare(&mut text, "v", &format!("mul(a, {})", index + 2));
        }
        text += &self.statements(5);
        text += &match self.random.below(4) {
            0 => format!("r := {}\n", self.word()),
            _ => format!("r := {}\n", self.sum()),
        };
        self.functions.push(name);
        text + "}\n"
    }

    /// A function that calls itself a few times.
    pub(super) fn recursive_function(&mut self) -> String {
        self.place = Place { is_function: true, is_loop: false, depth: MAX_DEPTH };
        (self.variables, self.left) = (["b", "r"].map(str::to_owned).to_vec(), 3);
        let functions = std::mem::take(&mut self.functions);
        let (before, behind) = (self.statements(1), self.statements(2));
        let (argument, result) = (self.value(1), self.value(1));
        self.functions = functions;
        self.functions.push("again");
        let end = self.word();
        format!(
            "function again(a, b) -> r {{ r := deep(and(a, 3), b) }}\n\
             function deep(n, b) -> r {{\nif iszero(n) {{ r := {end} leave }}\n\
             {before}r := add(r, deep(sub(n, 1), {argument}))\n{behind}r := add(r, {result})\n}}\n"
        )
    }

    /// What a constructor sets an immutable to.
    pub(super) fn immutable(&mut self, index: usize) -> String {
        let word = self.word();
        (*self.random.pick(&[word, "caller()".to_owned(), format!("add(timestamp(), {index})")])).clone()
    }

    fn declare(&mut self, text: &mut String, prefix: &str, value: &str) {
        self.next += 1;
        let name = format!("{prefix}{}", self.next);
        writeln!(text, "let {name} := {value}").expect("a string");
        self.variables.push(name);
    }

    /// Of every variable.
    fn sum(&self) -> String {
        self.variables.iter().fold("1".to_owned(), |sum, name| format!("add(mul({sum}, 31), {name})"))
    }

    fn statements(&mut self, most: usize) -> String {
        let mut text = String::new();
        for _ in 0..self.random.between(most.div_ceil(2), most) {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            text += &self.statement();
            text += "\n";
        }
        text
    }

    /// Statements in a block of their own.
    fn block(&mut self, is_loop: bool) -> String {
        let (place, n_variables) = (self.place, self.variables.len());
        self.place = Place { is_loop: is_loop || place.is_loop, depth: place.depth + 1, ..place };
        let mut text = String::new();
        if self.random.once_in(4) {
            let value = self.value(1);
            self.declare(&mut text, "w", &value);
        }
        text += &self.statements(4);
        // What is declared here is seen outside.
        for index in n_variables..self.variables.len() {
            writeln!(text, "{0} := xor({0}, {1})", self.variables[0], self.variables[index])
                .expect("a string");
        }
        if self.random.once_in(8) {
            text += &self.end();
        }
        self.place = place;
        self.variables.truncate(n_variables);
        text
    }

    fn statement(&mut self) -> String {
        let is_deep = self.place.depth >= MAX_DEPTH;
        match self.random.below(20) {
            0..4 if !is_deep => self.branch(),
            4..7 if !is_deep => self.for_loop(),
            7..9 if !is_deep => self.switch(),
            9 | 10 => self.guard(),
            11 | 12 if !self.functions.is_empty() => self.call(),
            13 => format!("sstore({}, {})", self.word(), self.value(1)),
            14 => {
                let (name, word) = (self.variable(), self.word());
                format!("{name} := xor({name}, sload({word}))")
            }
            15 => self.memory(),
            16 => format!("mstore(0, {}) log2(0, 0x20, {}, {})", self.word(), self.word(), self.value(1)),
            17 => format!("{} := {}", self.variable(), self.value(2)),
            _ => {
                let name = self.variable();
                format!("{name} := add(mul({name}, 3), {})", self.value(2))
            }
        }
    }

    fn branch(&mut self) -> String {
        let (test, body) = (self.test(), self.block(false));
        if self.random.once_in(2) {
            return format!("if {test} {{\n{body}}}");
        }
        format!("switch {test} case 0 {{\n{body}}} default {{\n{}}}", self.block(false))
    }

    fn switch(&mut self) -> String {
        if self.random.once_in(3) {
            // Long words as cases: a literal may stand there once.
            let mut cases: Vec<String> =
                self.words.iter().filter(|word| word.starts_with("0x")).cloned().collect();
            cases.sort();
            cases.dedup();
            let of = format!("xor({}, and({}, 3))", self.word(), self.variable());
            let cases: String =
                cases.iter().map(|case| format!("case {case} {{\n{}}}\n", self.block(false))).collect();
            return format!("switch {of} {cases}default {{\n{}}}", self.block(false));
        }
        let n_cases = self.random.between(2, 8);
        let cases: String =
            (0..n_cases).map(|case| format!("case {case} {{\n{}}}\n", self.block(false))).collect();
        let default = if self.random.once_in(2) {
            format!("default {{\n{}}}", self.block(false))
        } else {
            String::new()
        };
        format!("switch and({}, 7) {cases}{default}", self.value(1))
    }

    fn for_loop(&mut self) -> String {
        self.next += 1;
        let (counter, n_rounds) = (format!("i{}", self.next), self.random.between(1, 4));
        let mut test = format!("lt({counter}, {n_rounds})");
        if self.random.once_in(3) {
            test = format!("and({test}, iszero(eq({}, {})))", self.variable(), self.word());
        }
        let mut step = format!("{counter} := add({counter}, 1)");
        if self.random.once_in(3) {
            let name = self.variable();
            write!(step, " {name} := add({name}, {})", self.word()).expect("a string");
        }
        let body = self.block(true);
        format!("for {{ let {counter} := 0 }} {test} {{ {step} }} {{\n{body}}}")
    }

    /// An arm that does not come back.
    fn guard(&mut self) -> String {
        let (test, end) = (self.test(), self.end());
        format!("if {test} {{ {end} }}")
    }

    /// The last statement of a block: out of the loop, the function or the frame.
    fn end(&mut self) -> String {
        match self.random.below(8) {
            0..3 if self.place.is_loop => (*self.random.pick(&["break\n", "continue\n"])).to_owned(),
            3 if self.place.is_function => "leave\n".to_owned(),
            4 if self.may_end => format!("mstore(0, {}) return(0, 0x20)\n", self.word()),
            5 if self.may_end => format!("sstore(7, {}) stop()\n", self.word()),
            6 if self.may_end => format!("mstore(0, {}) revert(0, 0x20)\n", self.word()),
            _ => String::new(),
        }
    }

    fn call(&mut self) -> String {
        let (name, target) = (*self.random.pick(&self.functions), self.variable());
        let argument = if self.random.once_in(2) { self.word() } else { self.variable() };
        format!("{target} := {name}({}, {argument})", self.value(1))
    }

    /// Long words in memory, hashed or handed to a contract.
    fn memory(&mut self) -> String {
        let (name, word, value) = (self.variable(), self.word(), self.value(1));
        let start = format!("mstore(0, {word}) mstore(0x20, {value})");
        match self.random.below(4) {
            0 => format!("{start} {name} := add({name}, keccak256(0, 0x40))"),
            1 => format!("{start} {name} := add(mload(0), {name})"),
            2 => format!(
                "{start} if call(90000, {}, 0, 4, 0x24, 0, 0x20) {{ {name} := mload(0) }}",
                world::ECHO
            ),
            _ => format!("{start} {name} := xor({name}, keccak256(0, 0x24))"),
        }
    }

    fn test(&mut self) -> String {
        let (name, word) = (self.variable(), self.word());
        match self.random.below(7) {
            0 => format!("lt({name}, {word})"),
            1 => format!("eq({}, {word})", self.value(1)),
            2 => format!("slt({word}, {name})"),
            3 => format!("and({name}, {word})"),
            4 => format!("gt(xor({name}, {word}), {name})"),
            5 => format!("and({}, {})", self.value(1), 1 << self.random.below(3)),
            _ => format!("and({name}, 1)"),
        }
    }

    fn value(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.once_in(4) {
            return if self.random.once_in(self.rarity) { self.word() } else { self.variable() };
        }
        let (a, b) = (self.value(depth - 1), self.value(depth - 1));
        let name = *self
            .random
            .pick(&["add", "add", "sub", "sub", "xor", "xor", "and", "or", "mul", "div", "lt", "shr"]);
        match name {
            "shr" => format!("shr({}, {a})", 8 * self.random.below(31)),
            _ => format!("{name}({a}, {b})"),
        }
    }

    fn variable(&mut self) -> String {
        self.random.pick(&self.variables).clone()
    }

    /// A long word, now and then one that is computed from it, or its like that is short.
    fn word(&mut self) -> String {
        let word = self.random.pick(&self.words).clone();
        match self.random.below(16) {
            0 => format!("not({word})"),
            1 => format!("sub(0, {word})"),
            2 => format!("add({word}, 1)"),
            3 => format!("shl(224, {word})"),
            _ => word,
        }
    }
}
