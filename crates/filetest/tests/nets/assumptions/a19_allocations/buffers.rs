//! Buffers: how they are allocated, written and read.

use super::{Buffer, Generator, Kind, POINTED};

/// Whether the pointer has to be moved behind a buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    Surely,
    Perhaps,
}

/// When it is moved.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Before,
    Amid,
    Behind,
    Never,
}

/// The address so many bytes behind a name.
pub(super) fn at(name: &str, offset: usize) -> String {
    if offset == 0 { name.to_owned() } else { format!("add({name}, 0x{offset:x})") }
}

impl Generator<'_> {
    /// A valid buffer, the last one more often than others.
    pub(super) fn any_buffer(&mut self, fits: impl Fn(&Buffer) -> bool) -> Option<usize> {
        let fitting: Vec<usize> = (0..self.buffers.len())
            .filter(|&index| self.buffers[index].is_valid() && fits(&self.buffers[index]))
            .collect();
        let last = *fitting.last()?;
        Some(if self.random.once_in(2) { last } else { *self.random.pick(&fitting) })
    }

    fn add_buffer(&mut self, name: &str, kind: Kind, room: usize) -> usize {
        self.buffers.push(Buffer {
            name: name.to_owned(),
            kind,
            words: 0,
            room,
            size: None,
            is_allocated: false,
            is_until_load: true,
            is_newest: true,
            section: self.section,
            is_shared: false,
            is_variable: false,
        });
        self.buffers.len() - 1
    }

    /// Something that was allocated elsewhere.
    pub(super) fn add_allocated(&mut self, name: &str, kind: Kind, words: usize) -> usize {
        let index = self.add_buffer(name, kind, words);
        let buffer = &mut self.buffers[index];
        (buffer.words, buffer.is_allocated, buffer.is_newest, buffer.is_shared) = (words, true, false, true);
        index
    }

    /// A value made of what a buffer holds, if it holds anything.
    pub(super) fn read(&mut self, index: usize) -> Option<String> {
        let Buffer { name, kind, words, size, .. } = self.buffers[index].clone();
        let way = self.random.below(6);
        Some(match kind {
            Kind::Array => match way {
                0 => format!("mload({name})"),
                1 | 2 => format!("array_hash({name})"),
                _ => format!("array_sum({name})"),
            },
            Kind::Bytes if way == 0 => format!("mload({name})"),
            Kind::Bytes => format!("bytes_hash({name})"),
            Kind::Pointers => {
                let pointed = format!("mload({})", at(&name, 32 * self.random.below(words)));
                format!("mload({})", at(&pointed, 32 * self.random.below(POINTED)))
            }
            Kind::Words => match size {
                Some(size) if words == 0 || way < 3 => format!("keccak256({name}, {size})"),
                _ if words == 0 => return None,
                _ if way == 0 => format!("keccak256({name}, 0x{:x})", 32 * words),
                _ if way == 1 => format!("sum({name}, 0x{:x})", 32 * words),
                _ if way == 2 && words > 1 => format!("mload(add({name}, {}))", self.random.between(1, 32)),
                _ => format!("mload({})", at(&name, 32 * self.random.below(words))),
            },
        })
    }

    /// Stores to words that were written, or to the next.
    pub(super) fn write(&mut self, index: usize) -> Option<String> {
        let Buffer { name, kind, words, room, .. } = self.buffers[index].clone();
        let value = self.value();
        Some(match kind {
            Kind::Array => format!("array_set({name}, {}, {value})", self.random.below(5)),
            Kind::Bytes => return None,
            Kind::Pointers => {
                let section = self.buffers[index].section;
                let slot = at(&name, 32 * self.random.below(words));
                match self.any_buffer(|other| other.is_lasting() && other.section <= section) {
                    Some(other) if self.random.once_in(2) => {
                        self.buffers[other].is_shared = true;
                        let store = *self.random.pick(&["mstore", "keep"]);
                        format!("{store}({slot}, {})", self.buffers[other].name)
                    }
                    _ => format!("mstore(mload({slot}), {value})"),
                }
            }
            Kind::Words if words < room && self.random.once_in(2) => {
                self.buffers[index].words += 1;
                format!("mstore({}, {value})", at(&name, 32 * words))
            }
            Kind::Words if words > 0 => {
                let place = at(&name, 32 * self.random.below(words));
                match self.random.below(8) {
                    0 => format!("mstore8({place}, {value})"),
                    1 => format!("calldatacopy({place}, {}, 0x20)", self.random.below(70)),
                    _ => format!("mstore({place}, {value})"),
                }
            }
            Kind::Words => return None,
        })
    }

    /// Writes so many words more.
    fn writes(&mut self, index: usize, n: usize) -> String {
        let Buffer { name, words, .. } = self.buffers[index].clone();
        let place = at(&name, 32 * words);
        let bytes = 32 * n;
        let source =
            self.any_buffer(|other| other.kind == Kind::Words && other.words >= n && other.name != name);
        let text = match self.random.below(10) {
            0 if n > 1 => format!("fill({place}, 0x{bytes:x}, {})\n", self.value()),
            1 if n > 1 => format!("calldatacopy({place}, {}, 0x{bytes:x})\n", self.random.below(40)),
            2 if n > 1 => format!("calldatacopy({place}, calldatasize(), 0x{bytes:x})\n"),
            3 | 4 if n > 0 && source.is_some() => {
                let from = self.buffers[source.expect("is some")].name.clone();
                match self.random.below(3) {
                    0 => format!("pop(encode_words({place}, {from}, {n}))\n"),
                    1 => format!("pop(staticcall(gas(), 4, {from}, 0x{bytes:x}, {place}, 0x{bytes:x}))\n"),
                    _ => format!("mcopy({place}, {from}, 0x{bytes:x})\n"),
                }
            }
            _ => {
                let mut text = String::new();
                for word in words..words + n {
                    let value = self.value();
                    text += &format!("mstore({}, {value})\n", at(&name, 32 * word));
                    self.buffers[index].words = word + 1;
                }
                text
            }
        };
        self.buffers[index].words = words + n;
        text
    }

    /// Moves the pointer behind so many bytes of a buffer.
    pub(super) fn move_behind(&mut self, name: &str, size: &str) -> String {
        let data = if self.random.once_in(6) { self.data_at_pointer() } else { String::new() };
        let text = match self.random.below(6) {
            0 => format!("mstore(0x40, and(add(add({name}, {size}), 31), not(31)))"),
            1 => format!("mstore(0x40, add({name}, and(add({size}, 31), not(31))))"),
            2 | 3 => format!("mstore(0x40, add({name}, {size}))"),
            _ => format!("finalize({name}, {size})"),
        };
        format!("{data}{text}\n")
    }

    /// Uses the word of the pointer; it must be put (back) there at once.
    fn data_at_pointer(&mut self) -> String {
        let (one, two, three) = (self.value(), self.value(), self.value());
        let variable = self.variable();
        format!("mstore(0, {one}) mstore(0x20, {two}) mstore(64, {three}) {variable} := keccak256(0, 0x60)\n")
    }

    pub(super) fn allocation(&mut self) -> String {
        match self.random.below(16) {
            0..8 => self.words(0, Move::Perhaps),
            8..11 => self.bytes_of_any_size(),
            11 => {
                let (name, n, value) = (self.fresh("a"), self.value(), self.value());
                self.load();
                self.add_allocated(&name, Kind::Array, 0);
                format!("let {name} := array_new(and({n}, 7), {value})\n")
            }
            12 => self.copied(Kind::Array),
            13 => self.copied(Kind::Bytes),
            14 => self.pointers(),
            _ => self.answered(),
        }
    }

    fn copied(&mut self, kind: Kind) -> String {
        let name = self.fresh("a");
        let found = (self.any_buffer(|buffer| buffer.kind == kind && buffer.is_allocated))
            .zip(self.any_buffer(|buffer| buffer.kind == kind && buffer.is_allocated));
        let names =
            found.map(|(one, other)| (self.buffers[one].name.clone(), self.buffers[other].name.clone()));
        let made = match names {
            Some((one, _)) if kind == Kind::Array => format!("array_copy({one})"),
            // A sum of sizes; in loops it does not grow, for variables are not assigned sums.
            Some((one, other)) if self.random.once_in(2) => format!("concat({one}, {other})"),
            _ if kind == Kind::Array => format!("array_new(and({}, 3), {})", self.value(), self.value()),
            _ if self.random.once_in(3) => "bytes_returned()".to_owned(),
            _ => format!("bytes_given({}, and({}, 0x7f))", self.random.below(60), self.value()),
        };
        self.load();
        self.add_allocated(&name, kind, 0);
        format!("let {name} := {made}\n")
    }

    /// A buffer of a constant number of words, of which at least so many are written.
    pub(super) fn words(&mut self, least: usize, moved: Move) -> String {
        let n = least.max(*self.random.pick(&[0, 1, 2, 2, 2, 3, 3, 4, 6]));
        let (name, size) = (self.fresh("b"), format!("0x{:x}", 32 * n));
        let n_written = if self.random.once_in(4) { self.random.between(least, n) } else { n };
        match self.random.below(10) {
            0..2 => {
                self.load();
                let index = self.add_allocated(&name, Kind::Words, 0);
                self.buffers[index].room = n;
                let writes = self.writes(index, n_written);
                format!("let {name} := allocate({size})\n{writes}")
            }
            2 => {
                let value = self.value();
                self.load();
                self.add_allocated(&name, Kind::Words, n);
                format!("let {name} := allocate_filled({n}, {value})\n")
            }
            3 if n > 0 => self.encoded(&name, n, moved),
            _ => {
                let when = self.when(moved);
                self.load();
                let index = self.add_buffer(&name, Kind::Words, n);
                let n_first = match when {
                    When::Before => 0,
                    When::Amid => n_written / 2,
                    When::Behind | When::Never => n_written,
                };
                let mut text = format!("let {name} := {}\n", self.loaded());
                text += &self.writes(index, n_first);
                if when != When::Never {
                    text += &self.move_behind(&name, &size);
                    self.buffers[index].is_allocated = true;
                }
                if n_first < n_written {
                    text += &self.writes(index, n_written - n_first);
                }
                text
            }
        }
    }

    /// A buffer whose end its writes find.
    fn encoded(&mut self, name: &str, n: usize, moved: Move) -> String {
        let tail = self.fresh("t");
        self.load();
        let index = self.add_buffer(name, Kind::Words, n);
        let mut text =
            format!("let {name} := {}\nlet {tail} := encode({name}, {})\n", self.loaded(), self.value());
        for _ in 1..n {
            text += &format!("{tail} := encode({tail}, {})\n", self.value());
        }
        let when = self.when(moved);
        text += &match self.random.below(2) {
            _ if when == When::Never => String::new(),
            0 => format!("mstore(0x40, {tail})\n"),
            _ => format!("finalize({name}, sub({tail}, {name}))\n"),
        };
        let buffer = &mut self.buffers[index];
        (buffer.words, buffer.is_allocated) = (n, when != When::Never);
        if when == When::Never {
            buffer.size = Some(format!("sub({tail}, {name})"));
        }
        text
    }

    /// The pointer.
    fn loaded(&mut self) -> &'static str {
        if self.random.once_in(3) { "free_memory()" } else { "mload(0x40)" }
    }

    fn when(&mut self, moved: Move) -> When {
        match self.random.below(if moved == Move::Surely { 6 } else { 8 }) {
            0 | 1 => When::Before,
            2 => When::Amid,
            3..6 => When::Behind,
            _ => When::Never,
        }
    }

    /// A buffer of some words and bytes of which only the program knows how many.
    fn bytes_of_any_size(&mut self) -> String {
        let (name, length) = (self.fresh("b"), self.fresh("l"));
        let value = self.value();
        let (computed, is_whole) = match self.random.below(7) {
            0 => (format!("mul(and({value}, 7), 0x20)"), true),
            1 => ("and(calldatasize(), 0xe0)".to_owned(), true),
            2 => ("and(returndatasize(), 0x60)".to_owned(), true),
            3 => ("0x60".to_owned(), true),
            4 => (format!("{value} if gt({length}, 0x51) {{ {length} := 0x51 }}"), false),
            5 => (format!("and({value}, 0x7f)"), false),
            _ => (format!("and({value}, 0xe0)"), true),
        };
        let n_head = self.random.below(3);
        let place = at(&name, 32 * n_head);
        let size = at(&length, 32 * n_head);
        let when = self.when(Move::Perhaps);
        self.load();
        let index = self.add_buffer(&name, Kind::Words, n_head);
        let mut text = format!("let {length} := {computed}\nlet {name} := {}\n", self.loaded());
        if when == When::Before {
            text += &self.move_behind(&name, &size);
        }
        text += &self.writes(index, n_head);
        if when == When::Amid {
            text += &self.move_behind(&name, &size);
        }
        text += &match is_whole && self.random.once_in(2) {
            true => format!("fill({place}, {length}, {})\n", self.value()),
            false => format!("calldatacopy({place}, {}, {length})\n", self.random.below(60)),
        };
        if when == When::Behind {
            text += &self.move_behind(&name, &size);
        }
        let buffer = &mut self.buffers[index];
        (buffer.size, buffer.is_allocated) = (Some(size), when != When::Never);
        text
    }

    /// A buffer of pointers, to what is there or comes behind it.
    fn pointers(&mut self) -> String {
        let (name, n) = (self.fresh("s"), self.random.between(1, 3));
        let section = self.section;
        self.load();
        let mut text = format!("let {name} := allocate(0x{:x})\n", 32 * n);
        for slot in 0..n {
            let lasting = |other: &Buffer| other.is_lasting() && other.section <= section;
            let found = self.any_buffer(lasting).filter(|_| !self.random.once_in(3));
            if found.is_none() {
                text += &self.words(POINTED, Move::Surely);
            }
            let pointed = found.unwrap_or(self.buffers.len() - 1);
            self.buffers[pointed].is_shared = true;
            text += &format!("mstore({}, {})\n", at(&name, 32 * slot), self.buffers[pointed].name);
        }
        self.add_allocated(&name, Kind::Pointers, n);
        text
    }

    /// A call whose input and output lie in one buffer.
    fn answered(&mut self) -> String {
        self.load();
        let (name, value, variable) = (self.fresh("b"), self.value(), self.variable());
        let index = self.add_buffer(&name, Kind::Words, 1);
        let call = match self.random.below(3) {
            0 => format!("call(300000, 0xe1, 0, {name}, 0x24, {name}, 0x20)"),
            _ => format!("staticcall(gas(), 4, {name}, 0x24, {name}, 0x20)"),
        };
        let start = format!(
            "let {name} := {}\nmstore({name}, shl(224, 0xa2{:06x}))\nmstore(add({name}, 4), {value})\n",
            self.loaded(),
            self.random.below(0xff_ffff)
        );
        let clamp =
            format!("let {name}_ := 0x20 if gt({name}_, returndatasize()) {{ {name}_ := returndatasize() }}");
        let moved = self.move_behind(&name, &format!("{name}_"));
        let decoded = format!("{variable} := add({variable}, decode({name}, add({name}, {name}_)))\n");
        self.buffers[index].words = 1;
        if self.random.once_in(2) {
            return format!("{start}if {call} {{\n{clamp}\n{moved}{decoded}}}\n");
        }
        self.buffers[index].is_allocated = true;
        format!(
            "{start}if iszero({call}) {{ let q := mload(64) returndatacopy(q, 0, returndatasize()) revert(q, returndatasize()) }}\n{clamp}\n{moved}{decoded}"
        )
    }
}
