//! Functions that take, keep, choose, swap and return pointers, and calls of them.

use super::buffers::Move;
use super::{Generator, Kind, POINTED};

pub(super) struct Func {
    name: String,
    shape: Shape,
    /// It does not load the pointer.
    is_quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Values to a value.
    Value,
    /// A pointer and a value to a value.
    Reader,
    /// A value to a new pointer.
    Maker,
    /// A pointer and a value to this pointer or a new one.
    Chooser,
    /// Two pointers to two, other ones maybe.
    Swapper,
    /// A number of rounds and the pointer of the caller to a value.
    Recursion,
}

const SHAPES: [Shape; 6] =
    [Shape::Value, Shape::Reader, Shape::Maker, Shape::Chooser, Shape::Swapper, Shape::Recursion];

impl Generator<'_> {
    pub(super) fn function(&mut self) -> String {
        let name = format!("f{}", self.funcs.len());
        let shape = *self.random.pick(&SHAPES);
        let is_quiet = matches!(shape, Shape::Value | Shape::Reader) && self.random.once_in(3);
        self.quiet = usize::from(is_quiet);
        self.depth = 1;
        self.left = 6;
        let text = self.function_of(&name, shape);
        (self.quiet, self.depth) = (0, 0);
        self.values.clear();
        self.buffers.clear();
        self.funcs.push(Func { name, shape, is_quiet });
        text
    }

    /// A parameter that points somewhere.
    fn parameter(&mut self, name: &str) -> String {
        let index = self.add_allocated(name, Kind::Words, POINTED);
        if self.quiet > 0 {
            (self.buffers[index].is_allocated, self.buffers[index].is_until_load) = (false, true);
        }
        name.to_owned()
    }

    /// A result that points somewhere.
    fn result(&mut self, name: &str) {
        let index = self.add_allocated(name, Kind::Words, POINTED);
        self.buffers[index].is_variable = true;
    }

    fn function_of(&mut self, name: &str, shape: Shape) -> String {
        let [a, b, r] = ["a", "b", "r"].map(|part| format!("{name}{part}"));
        let [p, q, s, t] = ["p", "q", "s", "t"].map(|part| format!("{name}{part}"));
        let n = self.random.between(1, 3);
        match shape {
            Shape::Value => {
                self.values = vec![a.clone(), b.clone(), r.clone()];
                let body = self.statements(n + 1);
                format!("function {name}({a}, {b}) -> {r} {{\n{body}{r} := add({r}, mul({a}, 3))\n}}\n")
            }
            Shape::Reader => {
                self.values = vec![a.clone(), r.clone()];
                self.parameter(&p);
                let body = self.statements(n);
                format!("function {name}({p}, {a}) -> {r} {{\n{body}{r} := add({r}, sum({p}, 0x40))\n}}\n")
            }
            Shape::Maker => {
                self.values = vec![a.clone(), b.clone()];
                let mut body = self.statements(n - 1);
                body += &self.words(POINTED, Move::Surely);
                let made = self.buffers.last().expect("one was made").name.clone();
                self.buffers.last_mut().expect("one was made").is_shared = true;
                body += &format!("{q} := {made}\n");
                self.result(&q);
                body += &self.statements(2);
                format!("function {name}({a}, {b}) -> {q} {{\n{body}}}\n")
            }
            Shape::Chooser => {
                self.values = vec![a.clone()];
                self.parameter(&p);
                let mut body = format!("{q} := {p}\n");
                self.result(&q);
                body += &self.statements(n - 1);
                let test = self.test();
                let before = self.buffers.len();
                let made = self.words(POINTED, Move::Surely);
                body += &format!("if {test} {{\n{made}{q} := {}\n}}\n", self.buffers[before].name);
                self.buffers.truncate(before);
                body += &self.statements(2);
                format!("function {name}({p}, {a}) -> {q} {{\n{body}}}\n")
            }
            Shape::Swapper => {
                let v = format!("{name}v");
                self.values = vec![v.clone()];
                self.parameter(&p);
                self.parameter(&q);
                let read = self.read(0).expect("words");
                let start = format!("let {v} := {read}\n{s} := {q} {t} := {p}\n");
                self.result(&s);
                self.result(&t);
                let body = self.statements(n + 1);
                format!("function {name}({p}, {q}) -> {s}, {t} {{\n{start}{body}}}\n")
            }
            Shape::Recursion => {
                self.values = vec![b.clone(), r.clone()];
                self.parameter(&p);
                let before = self.statements(n - 1);
                let made = self.words(POINTED, Move::Surely);
                let own = self.buffers.last().expect("one was made").name.clone();
                self.load();
                let behind = self.statements(2);
                let passed = if self.random.once_in(4) { &p } else { &own };
                format!(
                    "function {name}({a}, {p}, {b}) -> {r} {{\n{r} := mload({p})\nif iszero({a}) {{ leave }}\n\
                     {before}{made}{r} := add({r}, {name}(sub({a}, 1), {passed}, {b}))\n{behind}\
                     {r} := add(mul({r}, 3), add(sum({own}, 0x40), mload({p})))\n}}\n"
                )
            }
        }
    }

    /// Calls one of the functions written before.
    pub(super) fn call(&mut self) -> Option<String> {
        let is_quiet = self.quiet > 0;
        let usable: Vec<usize> =
            (0..self.funcs.len()).filter(|&index| !is_quiet || self.funcs[index].is_quiet).collect();
        if usable.is_empty() {
            return None;
        }
        let index = *self.random.pick(&usable);
        self.call_of(index)
    }

    pub(super) fn call_of(&mut self, index: usize) -> Option<String> {
        let Func { name, shape, is_quiet } = &self.funcs[index];
        let (name, shape, is_quiet) = (name.clone(), *shape, *is_quiet);
        let (variable, one, other) = (self.variable(), self.value(), self.value());
        let pointed = |buffer: &super::Buffer| {
            buffer.kind == Kind::Words && buffer.words >= POINTED && (buffer.is_allocated || is_quiet)
        };
        let mut arguments = Vec::new();
        if matches!(shape, Shape::Reader | Shape::Chooser | Shape::Swapper | Shape::Recursion) {
            for _ in 0..2 {
                let index = self.any_buffer(pointed)?;
                self.buffers[index].is_shared = true;
                arguments.push(self.buffers[index].name.clone());
            }
        }
        // What a function is given may be returned, stays as long as all that was.
        let section = self.section;
        if !is_quiet {
            self.load();
        }
        let (new, also) = (self.fresh("c"), self.fresh("c"));
        let mut add = |name: &str| {
            let index = self.add_allocated(name, Kind::Words, POINTED);
            self.buffers[index].section = section;
        };
        Some(match shape {
            Shape::Value => format!("{variable} := {name}({one}, {other})"),
            Shape::Reader => format!("{variable} := add({variable}, {name}({}, {one}))", arguments[0]),
            Shape::Maker => {
                add(&new);
                format!("let {new} := {name}({one}, {other})")
            }
            Shape::Chooser => {
                add(&new);
                format!("let {new} := {name}({}, {one})", arguments[0])
            }
            Shape::Swapper => {
                add(&new);
                add(&also);
                format!("let {new}, {also} := {name}({}, {})", arguments[0], arguments[1])
            }
            Shape::Recursion => format!(
                "{variable} := add({variable}, {name}({}, {}, {one}))",
                self.random.below(4),
                arguments[0]
            ),
        })
    }
}
