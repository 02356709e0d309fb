//! Functions that check, and calls of them.

use super::{Generator, WORDS};

pub(super) struct Func {
    name: String,
    has_result: bool,
    /// Its first argument counts what is left of a recursion.
    is_recursive: bool,
}

impl Generator<'_> {
    /// Words of a message.
    pub(super) fn text_function(&mut self) -> String {
        let name = format!("text{}", self.texts);
        self.texts += 1;
        let mut text = match self.random.below(3) {
            0 => "p := mload(64) mstore(64, add(p, 0x80))\n",
            _ => "p := allocate(0x80)\n",
        }
        .to_owned();
        for index in 0..WORDS {
            text += &format!("mstore(add(p, 0x{:x}), {})\n", 32 * index, self.number());
        }
        format!("function {name}() -> p {{\n{text}}}\n")
    }

    /// A function of two numbers and a pointer to a buffer, that does next to nothing if it does not fail.
    pub(super) fn small_function(&mut self) -> String {
        let name = format!("f{}", self.funcs.len());
        let has_result = self.random.once_in(2);
        self.values = ["a", "b"].map(str::to_owned).to_vec();
        self.buffers = vec!["p".to_owned()];
        let mut body = String::new();
        if self.random.once_in(3) {
            let value = *self.random.pick(&["add(b, 3)", "sload(2)", "mload(p)", "mul(a, b)", "caller()"]);
            body += &format!("let t := {value}\n");
            self.values.push("t".to_owned());
        }
        let (part, other) = (self.part(), self.part());
        body += &match self.random.below(8) {
            0 => format!("if gt(and(b, 15), 13) {{ if a {{ {part} }} {other} }}\n"),
            1 => format!("switch a case 0 {{ {part} }} case 1 {{ {other} }}\n"),
            2 => format!("if lt(and(a, 15), and(b, 3)) {{ {part} }}\n"),
            3 => format!(
                "if iszero(a) {{ for {{ let i := 0 }} lt(i, and(b, 3)) {{ i := add(i, 1) }} {{ sstore(i, b) }} {part} }}\n"
            ),
            4 => format!("if iszero(a) {{ switch and(b, 1) case 0 {{ {part} }} default {{ {other} }} }}\n"),
            _ => format!("if iszero(a) {{ {part} }}\n"),
        };
        if has_result {
            body += &format!("r := {}\n", self.random.pick(&self.values));
        }
        (self.values, self.buffers) = (Vec::new(), Vec::new());
        self.funcs.push(Func { name: name.clone(), has_result, is_recursive: false });
        let result = if has_result { " -> r" } else { "" };
        format!("function {name}(a, b, p){result} {{\n{body}}}\n")
    }

    /// A function of two numbers and a pointer to a buffer.
    pub(super) fn function(&mut self) -> String {
        let name = format!("f{}", self.funcs.len());
        let has_result = !self.random.once_in(3);
        let is_recursive = self.random.once_in(6);
        self.values = ["a", "b"].map(str::to_owned).to_vec();
        self.buffers = vec!["p".to_owned()];
        if has_result {
            self.values.push("r".to_owned());
        }
        (self.depth, self.left) = (1, 5);
        let mut body = if is_recursive { "let left_ := and(a, 3)\n" } else { "" }.to_owned();
        if self.random.once_in(3) {
            body += &self.statements(1);
        }
        if self.random.once_in(4) {
            let value = self.read("p");
            body += &format!("let t := {value}\n");
            self.values.push("t".to_owned());
        }
        body += &self.check();
        if is_recursive {
            let argument = self.value();
            let call = format!("{name}(sub(left_, 1), {argument}, p)");
            let call = if has_result { format!("r := add(r, {call})") } else { call };
            body += &format!("if left_ {{ {call} }}\n");
        }
        if self.random.once_in(2) {
            body += &self.statements(2);
        }
        if has_result {
            body += &format!("r := add(r, {})\n", self.read("p"));
        }
        (self.depth, self.left) = (0, 0);
        self.funcs.push(Func { name: name.clone(), has_result, is_recursive });
        (self.values, self.buffers) = (Vec::new(), Vec::new());
        let result = if has_result { " -> r" } else { "" };
        format!("function {name}(a, b, p){result} {{\n{body}}}\n")
    }

    /// Fails, in some cases.
    fn check(&mut self) -> String {
        let test = self.rare_test();
        let part = self.part();
        match self.random.below(9) {
            0 => {
                let (other, last) = (self.part(), self.variable());
                format!(
                    "switch and(a, 7) case 0 {{ {part} }} case 1 {{ {other} }} default {{ {last} := add({last}, 1) }}\n"
                )
            }
            1 => {
                let (other, inner) = (self.part(), self.test());
                format!("if {test} {{ if {inner} {{ {part} }} {other} }}\n")
            }
            2 => {
                let inner = self.test();
                format!("if {test} {{ if {inner} {{ {part} }} }}\n")
            }
            3 => {
                let counter = self.fresh("i");
                let variable = self.variable();
                self.values.push(format!("{counter}_"));
                let part = self.part();
                self.values.pop();
                format!(
                    "for {{ let {counter} := 0 }} lt({counter}, and(b, 3)) {{ {counter} := add({counter}, 1) }} {{\n\
                     let {counter}_ := {counter} if eq({counter}, and(a, 15)) {{ {part} }} {variable} := add({variable}, {counter}) }}\n"
                )
            }
            4 => {
                let (other, again) = (self.rare_test(), self.part());
                format!("if {test} {{ {part} }}\nif {other} {{ {again} }}\n")
            }
            5 => format!("if {test} {{ {part} leave }}\n"),
            _ => format!("if iszero(and(a, 7)) {{ {part} }}\n"),
        }
    }

    fn part(&mut self) -> String {
        if self.random.once_in(3) { self.failing(Some("p")) } else { self.failing(None) }
    }

    pub(super) fn any_call(&mut self) -> String {
        if self.funcs.is_empty() {
            return String::new();
        }
        let index = self.random.below(self.funcs.len());
        self.call_of(index)
    }

    /// A call with a message of its own, or a buffer.
    pub(super) fn call_of(&mut self, index: usize) -> String {
        let buffer = match self.random.below(5) {
            // One that may be passed without anything being done for it.
            3 | 4 if !self.buffers.is_empty() => self.buffers[0].clone(),
            0 if !self.buffers.is_empty() => self.random.pick(&self.buffers).clone(),
            0 => format!("allocate_filled({})", self.value()),
            _ => format!("text{}()", self.random.below(self.texts)),
        };
        self.call(index, &buffer)
    }

    /// A call that is the same wherever these functions are known.
    pub(super) fn nested_check(&self, base: usize, number: &str, buffer: &str) -> String {
        let value = &self.values[base % self.values.len()];
        match self.funcs.get(base % self.funcs.len().max(1)) {
            None => String::new(),
            Some(func) => {
                let call = format!("{}(and({value}, 3), {number}, {buffer})", func.name);
                if func.has_result { format!("sstore(8, {call})") } else { call }
            }
        }
    }

    pub(super) fn call_with(&mut self, buffer: &str) -> String {
        if self.funcs.is_empty() {
            return self.write(buffer);
        }
        let index = self.random.below(self.funcs.len());
        self.call(index, buffer)
    }

    fn call(&mut self, index: usize, buffer: &str) -> String {
        let mut first = match self.random.below(4) {
            0 => self.value(),
            1 => format!("mul(7, iszero({}))", self.rare_test()),
            _ => format!("iszero({})", self.rare_test()),
        };
        let (second, variable) = (self.value(), self.variable());
        let Func { name, has_result, is_recursive } = &self.funcs[index];
        if *is_recursive {
            first = format!("and({first}, 3)");
        }
        match has_result {
            true => format!("{variable} := add({variable}, {name}({first}, {second}, {buffer}))"),
            false => format!("{name}({first}, {second}, {buffer})"),
        }
    }
}
