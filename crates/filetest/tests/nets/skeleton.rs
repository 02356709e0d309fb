//! What surrounds the statements that a net is about: variables, branches, switches, loops, functions.
//!
//! A [`Picture`] gives the statements; this file decides where they stand. Every program ends soon:
//! loops count to at most 3, functions call no functions but those written before them.

use crate::random::Random;
use crate::ways::{branch, choice, filled, rounds, sequence};

/// What a net puts into its programs.
pub(crate) struct Picture {
    /// The first statements of the program.
    pub(crate) start: fn(&mut Skeleton<'_>) -> String,
    /// A statement of its own.
    pub(crate) special: fn(&mut Skeleton<'_>) -> String,
    /// What the program ends with, behind the store of all variables.
    pub(crate) end: fn(&mut Skeleton<'_>) -> String,
    /// Functions that `special` calls.
    pub(crate) functions: &'static str,
}

/// A program that is being written. Variables are `v0` to `v2`; in functions `p0` to `p2`, `p2` being
/// the result.
pub(crate) struct Skeleton<'a> {
    pub(crate) random: &'a mut Random,
    special: fn(&mut Skeleton<'_>) -> String,
    left: usize,
    depth: usize,
    next_name: usize,
    pub(crate) is_function: bool,
    n_funcs: usize,
}

/// The statements of a program.
pub(crate) fn code(random: &mut Random, picture: &Picture) -> String {
    let special = picture.special;
    let mut skeleton =
        Skeleton { random, special, left: 10, depth: 0, next_name: 0, is_function: false, n_funcs: 0 };
    let start = (picture.start)(&mut skeleton);
    let mut funcs = String::new();
    for _ in 0..skeleton.random.below(3) {
        funcs += &skeleton.function();
    }
    skeleton.left = skeleton.left.max(5);
    let body = skeleton.statements(7);
    let end = (picture.end)(&mut skeleton);
    format!(
        "{start}\nlet v0 := calldataload(0) let v1 := calldataload(0x20) let v2 := calldataload(0x40)\n{body}\
         sstore(50, add(v0, mul(31, add(v1, mul(31, v2)))))\n{end}\n{funcs}{}\n",
        picture.functions
    )
}

/// A program without objects.
pub(crate) fn program(random: &mut Random, picture: &Picture) -> String {
    format!("{{\n{}}}\n", code(random, picture))
}

/// The usual end: some word.
pub(crate) fn return_word(skeleton: &mut Skeleton<'_>) -> String {
    let value = skeleton.value();
    match skeleton.random.below(4) {
        0 => "stop()".to_owned(),
        1 => format!("mstore(0, {value}) revert(0, 0x20)"),
        _ => format!("mstore(0, {value}) return(0, 0x20)"),
    }
}

/// The usual start: frames may lie in memory, or not.
pub(crate) fn maybe_guard(skeleton: &mut Skeleton<'_>) -> String {
    if skeleton.random.once_in(4) { String::new() } else { "mstore(0x40, memoryguard(0x80))".to_owned() }
}

impl Skeleton<'_> {
    fn function(&mut self) -> String {
        self.is_function = true;
        self.depth = 1;
        let n = self.random.between(1, 3);
        let body = self.statements(n);
        self.depth = 0;
        self.is_function = false;
        let name = format!("f{}", self.n_funcs);
        self.n_funcs += 1;
        format!("function {name}(p0, p1) -> p2 {{\n{body}}}\n")
    }

    fn statements(&mut self, n: usize) -> String {
        sequence(self, n, |this| &mut this.left, Self::statement)
    }

    fn statement(&mut self) -> String {
        let is_deep = self.depth >= 2;
        match self.random.below(16) {
            0 | 1 if !is_deep => branch(&self.test(), &self.nested()),
            2 if !is_deep => choice(&self.test(), &self.nested(), &self.nested()),
            3 | 4 if !is_deep => rounds(&self.fresh("i"), self.random.between(1, 3), &self.nested()),
            5 if self.n_funcs > 0 => {
                let (target, name) = (self.variable(), self.random.below(self.n_funcs));
                format!("{target} := f{name}({}, {})", self.value(), self.value())
            }
            6 => format!("{} := {}", self.variable(), self.value()),
            _ => (self.special)(self),
        }
    }

    fn nested(&mut self) -> String {
        self.depth += 1;
        let n = self.random.between(1, 2);
        let text = self.statements(n);
        self.depth -= 1;
        text
    }

    /// A name that no other variable has.
    pub(crate) fn fresh(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}_{}", self.next_name)
    }

    pub(crate) fn variable(&mut self) -> String {
        format!("{}{}", if self.is_function { "p" } else { "v" }, self.random.below(3))
    }

    pub(crate) fn test(&mut self) -> String {
        let variable = self.variable();
        match self.random.below(6) {
            0 => format!("and({variable}, 1)"),
            1 => format!("gt({variable}, 6)"),
            2 => format!("eq({variable}, {})", self.value()),
            3 => format!("iszero({variable})"),
            4 => "callvalue()".to_owned(),
            _ => format!("slt({variable}, 100)"),
        }
    }

    /// Without effects, and without a look at memory or state.
    pub(crate) fn value(&mut self) -> String {
        let variable = self.variable();
        match self.random.below(10) {
            0..5 => variable,
            5 => format!("add({variable}, 1)"),
            6 => format!("sub({variable}, {})", self.variable()),
            7 => format!("mul({variable}, {})", self.variable()),
            _ => (*self.random.pick(&["0", "1", "7", "0x80", "not(0)", "shl(255, 1)"])).to_owned(),
        }
    }

    /// One of these, each filled in: `#v` is a variable, `#x` a value, `#t` a test, `#n` a new name.
    pub(crate) fn one_of(&mut self, templates: &[&str]) -> String {
        let template = *self.random.pick(templates);
        let name = self.fresh("x");
        filled(template, |letter| match letter {
            "v" => self.variable(),
            "x" => self.value(),
            "t" => self.test(),
            "n" => name.clone(),
            other => unreachable!("no placeholder `{other}`"),
        })
    }
}
