//! Random modules for the optimizer: structured, so that runs end; with few places, variables and
//! constants, so that accesses meet and rules fire.

use std::fmt::Write;

/// Functions of a module; each calls later ones only.
const MAX_FUNCS: u64 = 4;
/// Variables of a function, each a slot.
const VARIABLES: u64 = 4;
/// Blocks that a function may have.
const MAX_BLOCKS: usize = 24;

const BINARY: [&str; 21] = [
    "add",
    "sub",
    "mul",
    "div",
    "mod",
    "sdiv",
    "smod",
    "and",
    "or",
    "xor",
    "lt",
    "gt",
    "slt",
    "sgt",
    "eq",
    "shl",
    "shr",
    "sar",
    "byte",
    "signextend",
    "exp",
];
const UNARY: [&str; 2] = ["not", "iszero"];
const NULLARY: [&str; 6] =
    ["callvalue", "caller", "calldatasize", "returndatasize", "timestamp", "selfbalance"];
const WORDS: [&str; 16] = [
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "31",
    "32",
    "33",
    "64",
    "96",
    "160",
    "255",
    "256",
    "0xffffffffffffffffffffffffffffffffffffffff",
    "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
];
const PLACES: [u64; 8] = [0, 32, 64, 96, 1, 31, 128, 160];

/// A stream of random numbers from a seed (SplitMix64).
struct Choices(u64);

impl Choices {
    fn below(&mut self, limit: u64) -> u64 {
        cairn_testkit::next_random(&mut self.0) % limit
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }
}

/// The text of a module whose entry function returns its memory, if it gets that far.
pub(crate) fn module(seed: u64) -> String {
    let mut choices = Choices(seed);
    let n_funcs = 1 + choices.below(MAX_FUNCS);
    let n_params: Vec<u64> =
        (0..n_funcs).map(|index| if index == 0 { 0 } else { choices.below(4) }).collect();
    let observes_msize = choices.below(12) == 0;
    let mut text = String::from("module @m {\n");
    for index in 0..n_params.len() {
        let writer =
            Writer { choices, n_params: &n_params, index, text, n_values: 0, n_blocks: 0, observes_msize };
        (choices, text) = writer.function();
    }
    text + "}\n"
}

struct Writer<'a> {
    choices: Choices,
    /// Parameters of each function.
    n_params: &'a [u64],
    /// The function that is written.
    index: usize,
    text: String,
    n_values: usize,
    n_blocks: usize,
    observes_msize: bool,
}

impl Writer<'_> {
    fn function(mut self) -> (Choices, String) {
        let n_params = self.n_params[self.index];
        let params: Vec<String> = (0..n_params).map(|param| format!("%p{param} : u256")).collect();
        match self.index {
            0 => self.text.push_str("  func @__entry() {\n"),
            index => {
                let _ = writeln!(self.text, "  func @f{index}({}) -> u256 {{", params.join(", "));
            }
        }
        self.text.push_str("  ^entry:\n");
        for variable in 0..VARIABLES {
            self.line(&format!("%s{variable} = evm.alloca : ptr<0>"));
            if variable < n_params {
                self.line(&format!("evm.mstore %s{variable}, %p{variable}"));
            }
        }
        self.body(3);
        self.end();
        self.text.push_str("  }\n");
        (self.choices, self.text)
    }

    fn end(&mut self) {
        if self.index > 0 {
            let result = self.expression(2);
            return self.line(&format!("evm.iret {result}"));
        }
        let size = if self.observes_msize { self.value("evm.msize") } else { self.constant("0") };
        let place = self.constant("0x1e0");
        self.line(&format!("evm.mstore {place}, {size}"));
        let (start, length) = (self.constant("0"), self.constant("0x200"));
        self.line(&format!("evm.return {start}, {length}"));
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "    {line}");
    }

    fn value(&mut self, operation: &str) -> String {
        self.n_values += 1;
        let name = format!("%v{}", self.n_values);
        self.line(&format!("{name} = {operation} : u256"));
        name
    }

    fn constant(&mut self, word: &str) -> String {
        self.value(&format!("evm.constant {word}"))
    }

    fn block(&mut self) -> usize {
        self.n_blocks += 1;
        self.n_blocks
    }

    fn begin(&mut self, block: usize) {
        let _ = writeln!(self.text, "  ^b{block}:");
    }

    fn body(&mut self, depth: u64) {
        for _ in 0..1 + self.choices.below(5) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u64) {
        let may_branch = depth > 0 && self.n_blocks < MAX_BLOCKS;
        match self.choices.below(20) {
            0..=2 => {
                let value = self.expression(3);
                let variable = self.choices.below(VARIABLES);
                self.line(&format!("evm.mstore %s{variable}, {value}"));
            }
            3 | 4 => self.store("mstore"),
            5 => self.store("sstore"),
            6 => self.pick_effect(),
            7..=9 if may_branch => self.branch(depth),
            10 if may_branch => self.repeat(depth),
            11 if may_branch => self.check(),
            12 | 13 => self.call(),
            14 | 15 => self.meet(),
            16 => self.mapping(),
            17 | 18 if may_branch => self.compare(depth),
            _ => self.store("sstore"),
        }
    }

    fn store(&mut self, name: &str) {
        let place = if name == "sstore" { self.key() } else { self.place() };
        let value = self.expression(2);
        self.line(&format!("evm.{name} {place}, {value}"));
    }

    /// Two accesses of one place, with something in between that may matter.
    fn meet(&mut self) {
        let spaces = [("mstore", "mload"), ("mstore8", "mload"), ("sstore", "sload"), ("tstore", "tload")];
        let (store, load) = self.choices.pick(&spaces);
        let place = if load == "mload" { self.place() } else { self.key() };
        let first = self.expression(1);
        self.line(&format!("evm.{store} {place}, {first}"));
        match self.choices.below(6) {
            0 => self.statement(0),
            1 => self.call(),
            2 => self.pick_effect(),
            3 => {
                let word = self.choices.pick(&["1", "31", "32"]);
                let distance = self.constant(word);
                let near = self.value(&format!("evm.add {place}, {distance}"));
                let value = self.expression(1);
                self.line(&format!("evm.{store} {near}, {value}"));
            }
            4 => self.load_to_variable(load, &place),
            _ => {}
        }
        match self.choices.below(2) {
            0 => {
                let value = self.expression(1);
                self.line(&format!("evm.{store} {place}, {value}"));
            }
            _ => self.load_to_variable(load, &place),
        }
    }

    fn load_to_variable(&mut self, load: &str, place: &str) {
        let value = self.value(&format!("evm.{load} {place}"));
        let variable = self.choices.below(VARIABLES);
        self.line(&format!("evm.mstore %s{variable}, {value}"));
    }

    /// An access of a word that is found by the hash of a key and a number, as in a mapping.
    fn mapping(&mut self) {
        let (start, second, length) = (self.constant("0"), self.constant("32"), self.constant("64"));
        let (key, number) = (self.expression(1), self.constant("1"));
        self.line(&format!("evm.mstore {start}, {key}"));
        self.line(&format!("evm.mstore {second}, {number}"));
        let place = self.value(&format!("evm.keccak256 {start}, {length}"));
        match self.choices.below(2) {
            0 => {
                let value = self.expression(1);
                self.line(&format!("evm.sstore {place}, {value}"));
            }
            _ => self.load_to_variable("sload", &place),
        }
    }

    /// Effects that fewer passes know.
    fn pick_effect(&mut self) {
        let (a, b) = (self.place(), self.place());
        let word = self.choices.pick(&["0", "1", "32", "64", "33"]);
        let length = self.constant(word);
        match self.choices.below(6) {
            0 => self.line(&format!("evm.mcopy {a}, {b}, {length}")),
            1 => self.line(&format!("evm.calldatacopy {a}, {b}, {length}")),
            2 => self.line(&format!("evm.mstore8 {a}, {length}")),
            3 => self.line(&format!("evm.log1 {a}, {length}, {b}")),
            4 => self.store("tstore"),
            _ => {
                let done = format!("evm.staticcall {length}, {length}, {a}, {length}, {b}, {length}");
                let done = self.value(&done);
                self.line(&format!("evm.sstore {length}, {done}"));
            }
        }
    }

    fn branch(&mut self, depth: u64) {
        let condition = self.expression(2);
        let [then, otherwise, after] = [self.block(), self.block(), self.block()];
        self.line(&format!("evm.condbr {condition}, ^b{then}, ^b{otherwise}"));
        for block in [then, otherwise] {
            self.begin(block);
            if block == then || self.choices.below(2) == 0 {
                self.body(depth - 1);
            }
            self.line(&format!("evm.br ^b{after}"));
        }
        self.begin(after);
    }

    /// Variables that are compared, with words near those that they are, and looked at on both ways.
    fn compare(&mut self, depth: u64) {
        let variable = self.choices.below(VARIABLES);
        let condition = self.comparison(variable);
        let condition = match self.choices.below(4) {
            0 => {
                let other = self.comparison(variable);
                let name = self.choices.pick(&["and", "or"]);
                self.value(&format!("evm.{name} {condition}, {other}"))
            }
            1 => self.value(&format!("evm.iszero {condition}")),
            _ => condition,
        };
        let [then, otherwise, after] = [self.block(), self.block(), self.block()];
        self.line(&format!("evm.condbr {condition}, ^b{then}, ^b{otherwise}"));
        for block in [then, otherwise] {
            self.begin(block);
            let (place, seen) = (self.place(), self.value(&format!("evm.mload %s{variable}")));
            self.line(&format!("evm.mstore {place}, {seen}"));
            if self.choices.below(2) == 0 {
                self.body(depth - 1);
            }
            self.line(&format!("evm.br ^b{after}"));
        }
        self.begin(after);
    }

    /// A variable, which may get a small word first, against a word near that one or another variable.
    fn comparison(&mut self, variable: u64) -> String {
        let near = self.choices.below(6);
        if self.choices.below(2) == 0 {
            // What it is must not be known: calldata counts up from 0.
            let (place, mask) = (self.constant(&near.to_string()), self.constant("7"));
            let word = self.value(&format!("evm.calldataload {place}"));
            let small = self.value(&format!("evm.and {word}, {mask}"));
            self.line(&format!("evm.mstore %s{variable}, {small}"));
        }
        let seen = self.value(&format!("evm.mload %s{variable}"));
        let other = match self.choices.below(4) {
            0 => {
                let other = self.choices.below(VARIABLES);
                self.value(&format!("evm.mload %s{other}"))
            }
            _ => {
                let word = self.choices.below(8);
                self.constant(&word.to_string())
            }
        };
        let (a, b) = if self.choices.below(2) == 0 { (seen, other) } else { (other, seen) };
        let name = self.choices.pick(&["lt", "gt", "lt", "gt", "slt", "eq", "shr"]);
        self.value(&format!("evm.{name} {a}, {b}"))
    }

    /// A loop of at most three rounds; its counter is a slot of its own.
    fn repeat(&mut self, depth: u64) {
        let [head, body, after] = [self.block(), self.block(), self.block()];
        let zero = self.constant("0");
        self.line(&format!("%c{head} = evm.alloca : ptr<0>"));
        self.line(&format!("evm.mstore %c{head}, {zero}"));
        self.line(&format!("evm.br ^b{head}"));
        self.begin(head);
        let count = self.value(&format!("evm.mload %c{head}"));
        let word = self.choices.pick(&["1", "2", "3"]);
        let limit = self.constant(word);
        let more = self.value(&format!("evm.lt {count}, {limit}"));
        self.line(&format!("evm.condbr {more}, ^b{body}, ^b{after}"));
        self.begin(body);
        self.body(depth - 1);
        let (count, one) = (self.value(&format!("evm.mload %c{head}")), self.constant("1"));
        let next = self.value(&format!("evm.add {count}, {one}"));
        self.line(&format!("evm.mstore %c{head}, {next}"));
        self.line(&format!("evm.br ^b{head}"));
        self.begin(after);
    }

    /// Goes on only if a condition holds.
    fn check(&mut self) {
        let condition = self.expression(2);
        let [ok, fail] = [self.block(), self.block()];
        self.line(&format!("evm.condbr {condition}, ^b{ok}, ^b{fail}"));
        self.begin(fail);
        let (start, length) = (self.constant("0"), self.constant("64"));
        let end = self.choices.pick(&["revert", "return"]);
        self.line(&format!("evm.{end} {start}, {length}"));
        self.begin(ok);
    }

    fn call(&mut self) {
        let n_later = (self.n_params.len() - self.index - 1) as u64;
        if n_later == 0 {
            return self.store("mstore");
        }
        let callee = self.index + 1 + self.choices.below(n_later) as usize;
        let args: Vec<String> = (0..self.n_params[callee]).map(|_| self.expression(1)).collect();
        let result = self.value(&format!("evm.icall @f{callee}({})", args.join(", ")));
        let variable = self.choices.below(VARIABLES);
        self.line(&format!("evm.mstore %s{variable}, {result}"));
    }

    fn expression(&mut self, depth: u64) -> String {
        match self.choices.below(if depth == 0 { 5 } else { 16 }) {
            0 | 1 => {
                let word = self.choices.pick(&WORDS);
                self.constant(word)
            }
            2..=4 => {
                let variable = self.choices.below(VARIABLES);
                self.value(&format!("evm.mload %s{variable}"))
            }
            5..=9 => {
                let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
                let name = self.choices.pick(&BINARY);
                self.value(&format!("evm.{name} {a}, {b}"))
            }
            10 => {
                let (name, a) = (self.choices.pick(&UNARY), self.expression(depth - 1));
                self.value(&format!("evm.{name} {a}"))
            }
            11 => {
                let place = self.place();
                self.value(&format!("evm.mload {place}"))
            }
            12 => {
                let key = self.key();
                let name = self.choices.pick(&["sload", "sload", "tload"]);
                self.value(&format!("evm.{name} {key}"))
            }
            13 => {
                let place = self.place();
                let word = self.choices.pick(&["32", "64"]);
                let length = self.constant(word);
                self.value(&format!("evm.keccak256 {place}, {length}"))
            }
            14 => {
                let place = self.place();
                self.value(&format!("evm.calldataload {place}"))
            }
            _ => {
                let name = self.choices.pick(&NULLARY);
                self.value(&format!("evm.{name}"))
            }
        }
    }

    /// A key of storage: a small number, a variable or a hash.
    fn key(&mut self) -> String {
        match self.choices.below(4) {
            0 | 1 => {
                let word = self.choices.pick(&["0", "1", "2"]);
                self.constant(word)
            }
            2 => {
                let variable = self.choices.below(VARIABLES);
                self.value(&format!("evm.mload %s{variable}"))
            }
            _ => {
                let (place, length) = (self.place(), self.constant("64"));
                self.value(&format!("evm.keccak256 {place}, {length}"))
            }
        }
    }

    /// An address below 512: a constant, or a bounded value plus a constant.
    fn place(&mut self) -> String {
        let place = self.choices.pick(&PLACES);
        let constant = self.constant(&place.to_string());
        if self.choices.below(3) > 0 {
            return constant;
        }
        let (value, mask) = (self.expression(0), self.constant("0x60"));
        let bounded = self.value(&format!("evm.and {value}, {mask}"));
        self.value(&format!("evm.add {bounded}, {constant}"))
    }
}
