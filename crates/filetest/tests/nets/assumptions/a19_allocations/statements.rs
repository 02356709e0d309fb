//! Statements: what happens between allocations, and where they stand.

use super::buffers::{Move, at};
use super::{Buffer, Generator, Kind, POINTED};
use crate::ways::{choice, sequence};

impl Generator<'_> {
    pub(super) fn statements(&mut self, n: usize) -> String {
        sequence(self, n, |this| &mut this.left, Self::statement)
    }

    /// A block; its names go out of scope.
    pub(super) fn nested(&mut self, n: usize) -> String {
        let (n_values, n_buffers) = (self.values.len(), self.buffers.len());
        self.depth += 1;
        let text = self.statements(n);
        self.depth -= 1;
        self.values.truncate(n_values);
        self.buffers.truncate(n_buffers);
        text
    }

    fn statement(&mut self) -> String {
        loop {
            if let Some(text) = self.maybe_statement() {
                return text;
            }
        }
    }

    fn maybe_statement(&mut self) -> Option<String> {
        let (is_deep, is_quiet) = (self.depth >= 3, self.quiet > 0);
        Some(match self.random.below(36) {
            0..9 if !is_quiet => self.allocation(),
            9..13 => return self.look(),
            13..16 => return self.any_buffer(|_| true).and_then(|index| self.write(index)),
            16 | 17 => return self.move_again(),
            18 => return self.name(),
            19 | 20 => return self.assign(),
            21 => return self.pointed(),
            22 if !is_quiet && !is_deep => self.section(),
            23 => self.scratch(),
            24 | 25 if !is_deep => self.rounds(),
            26..29 if !is_deep => self.branch(),
            29 | 30 => return self.call(),
            31 => return self.foreign_call(),
            32 => return self.early_end(),
            33 if !is_deep => return self.stored(),
            34 if !is_quiet && !is_deep => self.list(),
            35 if !is_quiet => {
                let (variable, one, other) = (self.variable(), self.value(), self.value());
                self.load();
                let name = *self.random.pick(&["hash", "hash_kept", "identity"]);
                format!("{variable} := add({variable}, {name}({one}, {other}))")
            }
            _ => return None,
        })
    }

    /// Reads contents.
    fn look(&mut self) -> Option<String> {
        let index = self.any_buffer(|_| true)?;
        let (read, variable) = (self.read(index)?, self.variable());
        Some(match self.random.below(5) {
            0 => format!("sstore({}, {read})", self.random.below(4)),
            1 => format!("{variable} := xor({variable}, {read})"),
            2 => {
                let name = self.fresh("w");
                self.values.push(name.clone());
                format!("let {name} := {read}")
            }
            _ => format!("{variable} := add(mul({variable}, 3), {read})"),
        })
    }

    /// Moves the pointer behind what was allocated, or only written, last: for the first time, further, or back.
    fn move_again(&mut self) -> Option<String> {
        let index = self.any_buffer(|buffer| buffer.is_newest && buffer.kind == Kind::Words)?;
        let Buffer { name, room, size, is_allocated, is_shared, words, .. } = self.buffers[index].clone();
        if !is_allocated {
            let size = size.unwrap_or_else(|| format!("0x{:x}", 32 * room));
            let text = self.move_behind(&name, &size);
            if self.random.once_in(4) {
                return Some(format!("if {} {{ {text} }}", self.test()));
            }
            self.buffers[index].is_allocated = true;
            return Some(text);
        }
        if size.is_some() {
            return None;
        }
        let new = if is_shared || self.loops > 0 { room + 2 } else { self.random.below(room + 3) };
        self.buffers[index].room = new;
        self.buffers[index].words = words.min(new);
        Some(self.move_behind(&name, &format!("0x{:x}", 32 * new)))
    }

    /// Another name for a buffer, which may come to point to others.
    fn name(&mut self) -> Option<String> {
        let index = self.any_buffer(|buffer| buffer.kind != Kind::Words || buffer.is_lasting())?;
        self.buffers[index].is_shared = true;
        let mut buffer = self.buffers[index].clone();
        let name = self.fresh("h");
        let text = format!("let {name} := {}", buffer.name);
        if buffer.is_allocated && buffer.kind != Kind::Pointers {
            let words = if buffer.kind == Kind::Words { POINTED } else { 0 };
            let index = self.add_allocated(&name, buffer.kind, words);
            self.buffers[index].section = self.section;
            self.buffers[index].is_variable = true;
        } else {
            (buffer.name, buffer.is_newest, buffer.is_variable) = (name, false, false);
            self.buffers.push(buffer);
        }
        Some(text)
    }

    /// Lets a variable point to another buffer.
    fn assign(&mut self) -> Option<String> {
        let target = self.any_buffer(|buffer| buffer.is_variable && buffer.is_allocated)?;
        let Buffer { name, kind, section, .. } = self.buffers[target].clone();
        let source = self.any_buffer(|buffer| {
            buffer.kind == kind
                && buffer.is_allocated
                && buffer.section <= section
                && buffer.name != name
                && (kind != Kind::Words || buffer.is_lasting())
        })?;
        self.buffers[source].is_shared = true;
        let other = self.buffers[source].clone();
        if other.is_variable && other.section == section && self.random.once_in(2) {
            let kept = self.fresh("k");
            return Some(format!("let {kept} := {name} {name} := {} {} := {kept}", other.name, other.name));
        }
        Some(match self.random.once_in(3) {
            true => format!("if {} {{ {name} := {} }}", self.test(), other.name),
            false => format!("{name} := {}", other.name),
        })
    }

    /// Gets a pointer back from a buffer of pointers.
    fn pointed(&mut self) -> Option<String> {
        let index = self.any_buffer(|buffer| buffer.kind == Kind::Pointers && buffer.is_allocated)?;
        let Buffer { name, words, section, .. } = self.buffers[index].clone();
        let slot = at(&name, 32 * self.random.below(words));
        let got = self.fresh("g");
        let index = self.add_allocated(&got, Kind::Words, POINTED);
        self.buffers[index].section = section;
        Some(format!("let {got} := mload({slot})"))
    }

    /// The pointer is put back, or data lies at its place meanwhile.
    fn section(&mut self) -> String {
        let (name, n) = (self.fresh("m"), self.random.between(1, 4));
        let scope = (self.values.len(), self.buffers.len());
        self.load();
        self.depth += 1;
        let mut text = format!("{{\nlet {name} := mload(64)\n");
        if self.random.once_in(3) {
            text += &self.data_meanwhile(n);
            text += &format!("mstore(64, {name})\n");
        } else {
            self.section += 1;
            text += &self.statements(n);
            let is_taken = self.random.once_in(3);
            for buffer in &mut self.buffers {
                if buffer.section == self.section {
                    buffer.is_until_load = buffer.is_valid() && !is_taken;
                    (buffer.is_allocated, buffer.is_newest) = (false, false);
                }
                buffer.is_until_load &= !is_taken;
            }
            self.section -= 1;
            if is_taken {
                // The memory that was free is now a buffer behind the word that was kept.
                let size = self.random.between(POINTED, 5);
                text += &format!("mstore(0x40, add({name}, 0x{:x}))\n", 32 * size);
                for word in 0..size {
                    text += &format!("mstore({}, {})\n", at(&name, 32 * word), self.value());
                }
                self.add_allocated(&name, Kind::Words, size);
                text += &self.statements(2);
            } else {
                text += &format!("mstore(64, {name})\n");
                self.quiet += 1;
                text += &self.statements(2);
                self.quiet -= 1;
            }
        }
        self.depth -= 1;
        self.values.truncate(scope.0);
        self.buffers.truncate(scope.1);
        text + "}"
    }

    /// Data at the place of the pointer.
    fn data_meanwhile(&mut self, n: usize) -> String {
        let (value, other, variable) = (self.value(), self.value(), self.variable());
        if !self.is_wild {
            let covered = self.random.between(1, 0x60);
            return format!(
                "mstore(0, {value}) mstore(0x20, {other}) mstore(64, {variable}) {variable} := keccak256(0, 0x{covered:x})\n"
            );
        }
        let loops = std::mem::take(&mut self.loops);
        self.quiet += 1;
        let body = self.nested(n);
        self.quiet -= 1;
        self.loops = loops;
        format!("mstore(64, {value})\n{body}{variable} := add({variable}, mload(0x040))\n")
    }

    /// The words below that of the pointer.
    fn scratch(&mut self) -> String {
        let (one, other, variable) = (self.value(), self.value(), self.variable());
        let size = self.random.between(1, 0x40);
        format!("mstore(0, {one}) mstore(0x20, {other}) {variable} := keccak256(0, 0x{size:x})")
    }

    /// What holds whichever way the program came here.
    fn merge(&mut self, other: &[Buffer]) {
        for (buffer, other) in self.buffers.iter_mut().zip(other) {
            buffer.is_allocated &= other.is_allocated;
            buffer.is_until_load &= other.is_until_load;
            buffer.is_newest &= other.is_newest;
            buffer.is_shared |= other.is_shared;
            buffer.words = buffer.words.min(other.words);
            buffer.room = buffer.room.min(other.room);
        }
    }

    fn branch(&mut self) -> String {
        let test = self.test();
        let before = self.buffers.clone();
        let n = self.random.between(1, 4);
        let one = self.nested(n);
        let behind = std::mem::replace(&mut self.buffers, before);
        let n = if self.random.once_in(2) { self.random.between(1, 3) } else { 0 };
        let other = self.nested(n);
        self.merge(&behind);
        if other.is_empty() {
            return format!("if {test} {{\n{one}}}");
        }
        choice(&test, &other, &one)
    }

    /// A loop, which may bring a pointer from round to round.
    fn rounds(&mut self) -> String {
        let (counter, n) = (self.fresh("i"), self.random.between(1, 3));
        let has_free = self.buffers.iter().any(|buffer| buffer.is_until_load);
        let is_quiet = self.quiet > 0 || has_free && self.random.once_in(2) || self.random.once_in(9);
        let scope = (self.values.len(), self.buffers.len());
        let mut start = String::new();
        if is_quiet {
            self.quiet += 1;
        } else if self.random.once_in(2) {
            start = self.words(POINTED, Move::Surely);
            let first = self.buffers.last().expect("one was made").name.clone();
            start += &format!("let {counter}_ := {first}\n");
            let index = self.add_allocated(&format!("{counter}_"), Kind::Words, POINTED);
            self.buffers[index].is_variable = true;
        }
        if !is_quiet {
            self.load();
        }
        let bound = if self.random.once_in(3) { format!("and({}, 3)", self.value()) } else { n.to_string() };
        let before = self.buffers.clone();
        let n_values = self.values.len();
        let round = self.fresh("w");
        self.values.push(round.clone());
        let mut body = format!("let {round} := mul({counter}, {})\n", self.number());
        self.loops += 1;
        let n = self.random.between(1, 4);
        body += &self.nested(n);
        if !start.is_empty() {
            body += &self.next_round(&format!("{counter}_"));
        }
        self.loops -= 1;
        self.quiet -= usize::from(is_quiet);
        self.values.truncate(n_values);
        self.buffers.truncate(before.len());
        self.merge(&before);
        let last = match self.random.once_in(3) && !start.is_empty() {
            true => format!("{counter}_ := step({counter}_, {})", self.variable()),
            false => String::new(),
        };
        let mut text = format!(
            "for {{ let {counter} := 0 }} lt({counter}, {bound}) {{ {counter} := add({counter}, 1) {last} }} {{\n{body}}}\n"
        );
        if !start.is_empty() {
            let variable = self.variable();
            text = format!("{{\n{start}{text}{variable} := add({variable}, sum({counter}_, 0x40))\n}}");
        }
        self.values.truncate(scope.0);
        self.buffers.truncate(scope.1);
        text
    }

    /// Reads the buffer of the round before, and lets another follow.
    fn next_round(&mut self, name: &str) -> String {
        let variable = self.variable();
        let mut text = self.words(POINTED, Move::Surely);
        let next = self.buffers.last().expect("one was made").name.clone();
        text += &format!(
            "{variable} := add(mul({variable}, 3), mload({}))\n",
            at(name, 32 * self.random.below(2))
        );
        match self.random.below(4) {
            0 => text + &format!("if {} {{ {name} := {next} }}\n", self.test()),
            _ => text + &format!("{name} := {next}\n"),
        }
    }

    /// Calls an account with a buffer; the answer goes to scratch, or over words that were written.
    fn foreign_call(&mut self) -> Option<String> {
        let input = self
            .any_buffer(|buffer| buffer.kind == Kind::Words && (buffer.words > 0 || buffer.size.is_some()))?;
        let output = self.any_buffer(|buffer| buffer.kind == Kind::Words && buffer.words > 0)?;
        let Buffer { name, words, size, .. } = self.buffers[input].clone();
        let size = size.unwrap_or_else(|| format!("0x{:x}", 32 * words));
        let output = if self.random.once_in(2) { "0".to_owned() } else { self.buffers[output].name.clone() };
        let call = match self.random.below(5) {
            0 => "call(300000, 0xe1, 0, ",
            1 if words > 0 => "call(300000, address(), 0, ",
            2 => "staticcall(gas(), 2, ",
            _ => "staticcall(gas(), 4, ",
        };
        // The program ends at once with so little.
        let size = if call.contains("address") { "0x20" } else { &size };
        let variable = self.variable();
        Some(format!("{variable} := add({variable}, {call}{name}, {size}, {output}, 0x20))"))
    }

    fn early_end(&mut self) -> Option<String> {
        if self.loops > 0 && self.random.once_in(2) {
            let leave = *self.random.pick(&["break", "continue"]);
            return Some(format!("if {} {{ {leave} }}", self.test()));
        }
        let index = self.any_buffer(|buffer| buffer.kind == Kind::Words)?;
        let Buffer { name, words, size, .. } = self.buffers[index].clone();
        let size = size.unwrap_or_else(|| format!("0x{:x}", 32 * words));
        if self.random.once_in(2) {
            return Some(format!("log1({name}, {size}, {})", self.value()));
        }
        let end = if self.can_return && self.random.once_in(2) { "return" } else { "revert" };
        Some(format!(
            "if eq(and({}, 31), {}) {{ {end}({name}, {size}) }}",
            self.variable(),
            self.random.below(32)
        ))
    }

    /// A pointer lies in storage for a while.
    fn stored(&mut self) -> Option<String> {
        let index = self.any_buffer(Buffer::is_lasting)?;
        self.buffers[index].is_shared = true;
        let Buffer { name, section, .. } = self.buffers[index].clone();
        let (key, got) = (self.fresh("0x10"), self.fresh("g"));
        let (store, load) = if self.random.once_in(2) { ("sstore", "sload") } else { ("tstore", "tload") };
        let could_return = std::mem::replace(&mut self.can_return, false);
        let loops = std::mem::take(&mut self.loops);
        let n_buffers = self.buffers.len();
        let n = self.random.between(1, 3);
        let body = self.nested(n);
        self.loops = loops;
        self.can_return = could_return;
        let index = self.add_allocated(&got, Kind::Words, POINTED);
        self.buffers[index].section = section;
        let read = self.read(index).unwrap_or_default();
        self.buffers.truncate(n_buffers);
        let variable = self.variable();
        Some(format!(
            "{store}({key}, {name})\n{{\n{body}}}\n{{ let {got} := {load}({key}) {store}({key}, 0)\n{variable} := add({variable}, {read}) }}"
        ))
    }

    /// Buffers that point to each other.
    fn list(&mut self) -> String {
        let (name, counter, variable) = (self.fresh("n"), self.fresh("i"), self.variable());
        let n = self.random.between(1, 4);
        self.load();
        let before = self.buffers.clone();
        let value = self.value();
        let body = self.nested(2);
        self.merge(&before);
        format!(
            "{{ let {name} := 0\nfor {{ let {counter} := 0 }} lt({counter}, {n}) {{ {counter} := add({counter}, 1) }} {{\n\
             {name} := push({name}, add({value}, {counter}))\n{body}}}\n{variable} := add({variable}, walk({name})) }}"
        )
    }
}
