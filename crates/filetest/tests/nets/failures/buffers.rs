//! Buffers of four words or more: how they are allocated, filled, read and used on some ways.

use super::{Generator, WORDS};

/// The word of a buffer.
fn word(name: &str, index: usize) -> String {
    if index == 0 { name.to_owned() } else { format!("add({name}, 0x{:x})", 32 * index) }
}

impl Generator<'_> {
    /// A value made of what a buffer holds.
    pub(super) fn read(&mut self, name: &str) -> String {
        match self.random.below(6) {
            0 => format!("keccak256({name}, 0x{:x})", 32 * self.random.between(1, WORDS)),
            1 => format!("sum({name}, 0x80)"),
            2 => format!("mload(add({name}, 0x{:x}))", self.random.below(0x61)),
            _ => format!("mload({})", word(name, self.random.below(WORDS))),
        }
    }

    /// Changes a word, or some bytes.
    pub(super) fn write(&mut self, name: &str) -> String {
        let (place, value) = (word(name, self.random.below(WORDS)), self.value());
        match self.random.below(6) {
            0 => format!("mstore8({place}, {value})"),
            1 => format!("calldatacopy({place}, 0x{:x}, 0x20)", self.random.below(0x60)),
            2 => format!("mstore({place}, add(mload({place}), {value}))"),
            _ => format!("mstore({place}, {value})"),
        }
    }

    /// Allocates and fills a buffer of that name.
    pub(super) fn filled_buffer(&mut self, name: &str) -> String {
        let (value, other) = (self.value(), self.value());
        let size = match self.random.below(8) {
            0 => format!("add(0x80, mul(and({value}, 3), 0x20))"),
            1 => format!("add(0x80, and({value}, 0x7f))"),
            // Too much, or nothing more.
            2 if self.is_checked => format!("add(0x80, shl(61, and({value}, 8)))"),
            3 if self.is_checked => format!("or(0x80, mul(0xffffffffffffff00, eq(and({value}, 15), 3)))"),
            4 => "0xa0".to_owned(),
            5 => "0xe00".to_owned(),
            _ => "0x80".to_owned(),
        };
        match self.random.below(12) {
            0 => format!("let {name} := allocate_filled({value})\n"),
            1 => format!("let {name} := allocate_zeroed({size})\nmstore({name}, {other})\n"),
            2 | 3 if self.texts > 0 => format!("let {name} := text{}()\n", self.random.below(self.texts)),
            4 => {
                let fill = self.fill(name);
                format!("let {name} := mload(0x40)\n{fill}mstore(0x40, add({name}, 0x80))\n")
            }
            5 => {
                let fill = self.fill(name);
                format!("let {name} := mload(0x40)\nmstore(0x40, add({name}, 0xa0))\n{fill}")
            }
            6 => {
                let fill = self.fill(name);
                format!("let {name} := mload(0x40)\n{fill}finalize({name}, {size})\n")
            }
            _ => {
                let fill = self.fill(name);
                format!("let {name} := allocate({size})\n{fill}")
            }
        }
    }

    /// Writes all words.
    fn fill(&mut self, name: &str) -> String {
        let mut text = match self.random.below(12) {
            0 => format!("calldatacopy({name}, 0x{:x}, 0x80)\n", self.random.below(0x40)),
            1 => {
                let (counter, value) = (self.fresh("i"), self.value());
                format!(
                    "for {{ let {counter} := 0 }} lt({counter}, 0x80) {{ {counter} := add({counter}, 0x20) }} {{ \
                     mstore(add({name}, {counter}), add({value}, {counter})) }}\n"
                )
            }
            2 if !self.buffers.is_empty() => {
                let from = self.random.pick(&self.buffers).clone();
                match self.random.below(2) {
                    0 => format!("mcopy({name}, {from}, 0x80)\n"),
                    _ => format!("pop(staticcall(50000, 4, {from}, 0x80, {name}, 0x80))\n"),
                }
            }
            way => {
                let mut order: Vec<usize> = (0..WORDS).collect();
                if way < 6 {
                    order.rotate_left(self.random.below(WORDS));
                }
                let mut text = String::new();
                for index in order {
                    let value = if self.random.once_in(2) { self.number() } else { self.value() };
                    text += &format!("mstore({}, {value})\n", word(name, index));
                }
                text
            }
        };
        if self.random.once_in(5) {
            text += &self.write(name);
            text += "\n";
        }
        text
    }

    /// What stands between a buffer and the branch.
    fn between(&mut self, name: &str) -> String {
        let (variable, value) = (self.variable(), self.value());
        let other =
            if self.buffers.is_empty() { name.to_owned() } else { self.random.pick(&self.buffers).clone() };
        match self.random.below(20) {
            16..19 => self.through(name, &other),
            0 => format!("{variable} := {}", self.read(name)),
            1 => format!("{variable} := {}", self.read(&other)),
            2 | 3 => self.write(&other),
            4 => format!("mstore(0, {value}) mstore(0x20, {variable}) {variable} := keccak256(0, 0x40)"),
            5 => format!("log1({name}, 0x40, {value})"),
            6 => format!("sstore({}, {value})", self.random.between(1, 4)),
            7 => format!("{variable} := call(100000, 0xe1, 0, {name}, 0x40, {name}, 0x20)"),
            8 => format!("{variable} := staticcall(100000, 4, {other}, 0x40, {other}, 0x80)"),
            9 => format!(
                "pop(call(100000, 0xe1, 0, {other}, 0x60, 0, 0)) returndatacopy({name}, 0, and(returndatasize(), 0x60))"
            ),
            10 => format!("mcopy({other}, {name}, 0x40)"),
            11 => {
                let new = self.fresh("b");
                let text = self.filled_buffer(&new);
                let text = format!("{text}{variable} := {}", self.read(&new));
                self.buffers.push(new);
                text
            }
            12 => self.any_call(),
            13 => format!("{variable} := add({variable}, returndatasize())"),
            14 => {
                // Free memory is used and forgotten.
                let new = self.fresh("m");
                format!(
                    "{{ let {new} := mload(64) mstore({new}, {value}) {variable} := keccak256({new}, 0x20) }}"
                )
            }
            _ => format!("{variable} := {value}"),
        }
    }

    /// What a buffer holds says where another is written or read.
    fn through(&mut self, name: &str, other: &str) -> String {
        let (variable, value) = (self.variable(), self.value());
        let index = match self.random.below(3) {
            0 => format!("and(keccak256({name}, 0x40), 0x60)"),
            _ => format!("and(mload({}), 0x60)", word(name, self.random.below(WORDS))),
        };
        let place = format!("add({other}, {index})");
        match self.random.below(6) {
            0 => format!("{variable} := add({variable}, mload({place}))"),
            1 => format!("{variable} := keccak256({other}, {index})"),
            2 => format!("calldatacopy({place}, 3, 0x20)"),
            3 => format!("mstore8({place}, {value})"),
            _ => format!("mstore({place}, {value})"),
        }
    }

    /// A way that uses a buffer.
    fn way(&mut self, name: &str) -> String {
        let scope = self.buffers.len();
        let before = if self.random.once_in(3) { self.between(name) } else { String::new() };
        let variable = self.variable();
        let use_ = match self.random.below(8) {
            0 => format!("{variable} := xor({variable}, {})", self.read(name)),
            1 => self.call_with(name),
            2 => self.write(name),
            _ => self.failing(Some(name)),
        };
        self.buffers.truncate(scope);
        format!("{before}\n{use_}")
    }

    /// A way that knows nothing of it.
    fn other_way(&mut self) -> String {
        match self.random.below(4) {
            0 => self.failing(None),
            1 => {
                let (new, variable) = (self.fresh("e"), self.variable());
                let text = self.filled_buffer(&new);
                format!("{text}{variable} := add({variable}, {})", self.read(&new))
            }
            2 => self.any_call(),
            _ => format!("{} := {}", self.variable(), self.value()),
        }
    }

    /// One buffer or two, and branches.
    pub(super) fn one_way(&mut self) -> String {
        let scope = self.buffers.len();
        let name = self.fresh("b");
        let mut text = self.filled_buffer(&name);
        if self.random.once_in(4) {
            let other = self.fresh("b");
            text += &self.filled_buffer(&other);
            self.buffers.push(other);
        }
        for _ in 0..*self.random.pick(&[0, 0, 0, 1, 1, 2]) {
            text += &self.between(&name);
            text += "\n";
        }
        let test = if self.random.once_in(3) { self.test() } else { self.rare_test() };
        let one = self.way(&name);
        text += &match self.random.below(12) {
            0 | 1 => {
                let other = self.other_way();
                format!("switch {test} case 0 {{ {other} }} default {{ {one} }}\n")
            }
            2 => {
                let other = self.way(&name);
                format!("switch {test} case 0 {{ {other} }} default {{ {one} }}\n")
            }
            3 => {
                let (counter, step) = (self.fresh("i"), self.write(&name));
                let other = self.test();
                format!(
                    "for {{ let {counter} := 0 }} lt({counter}, 3) {{ {counter} := add({counter}, 1) }} {{\n\
                     if {other} {{ {step} }} if {test} {{ {one} }} }}\n"
                )
            }
            4 => {
                let (other, value) = (self.rare_test(), self.value());
                let (two, three) = (self.way(&name), self.other_way());
                format!(
                    "switch and({value}, 3) case 0 {{ {one} }} case 1 {{ {three} }} default {{ if {other} {{ {two} }} }}\n"
                )
            }
            5 => {
                // Two ways lead to one place.
                let (counter, other) = (self.fresh("i"), self.rare_test());
                let variable = self.variable();
                format!(
                    "let {counter} := 0 for {{ }} lt({counter}, 2) {{ {counter} := add({counter}, 1) }} {{\n\
                     if {other} {{ break }} {variable} := add({variable}, {counter}) }}\nif iszero(eq({counter}, 2)) {{ {one} }}\n"
                )
            }
            6 if !self.buffers.is_empty() => self.chosen(&name, &test),
            7 => self.pointed(&name, &test),
            _ => format!("if {test} {{ {one} }}\n"),
        };
        if self.random.once_in(4) {
            let variable = self.variable();
            text += &format!("{variable} := add({variable}, {})\n", self.read(&name));
        } else if self.random.once_in(4) {
            let (way, test) = (self.way(&name), self.rare_test());
            text += &format!("if {test} {{ {way} }}\n");
        }
        self.buffers.truncate(scope);
        format!("{{\n{text}}}")
    }

    /// A variable that holds one buffer or the other.
    fn chosen(&mut self, name: &str, test: &str) -> String {
        let (chosen, choice, other) = (self.fresh("c"), self.test(), self.random.pick(&self.buffers).clone());
        let mut text = match self.random.below(3) {
            0 => format!("let {chosen} := {name} if {choice} {{ {chosen} := {other} }}\n"),
            1 => format!("let {chosen} := {other} if {choice} {{ {chosen} := {name} }}\n"),
            _ => format!(
                "let {chosen} switch {choice} case 0 {{ {chosen} := {name} }} default {{ {chosen} := {other} }}\n"
            ),
        };
        if self.random.once_in(2) {
            text += &self.write(&chosen);
            text += "\n";
        }
        let way = self.way(&chosen);
        text + &format!("if {test} {{ {way} }}\n")
    }

    /// A buffer of pointers to others.
    fn pointed(&mut self, name: &str, test: &str) -> String {
        let (list, got) = (self.fresh("s"), self.fresh("g"));
        let other =
            if self.buffers.is_empty() { name.to_owned() } else { self.random.pick(&self.buffers).clone() };
        let (value, chosen) = (self.value(), self.value());
        let write = match self.random.below(3) {
            0 => self.write(&other),
            1 => format!("mstore(mload(add({list}, mul(and({chosen}, 1), 0x20))), {value})"),
            _ => String::new(),
        };
        let way = self.way(&got);
        let place = *self.random.pick(&["0", "0x20"]);
        format!(
            "let {list} := allocate(0x40) mstore({list}, {name}) mstore(add({list}, 0x20), {other})\n{write}\n\
             if {test} {{ let {got} := mload(add({list}, {place}))\n{way} }}\n"
        )
    }
}
