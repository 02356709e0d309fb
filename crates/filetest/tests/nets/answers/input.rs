//! What a call reads: where it lies, and how it is stored.

use super::{ALLOCATED, Generator, Place};

const SIZES: [usize; 12] = [0, 4, 4, 32, 36, 36, 36, 36, 64, 68, 68, 100];

/// What an answer's first byte asks for: sizes of [`crate::world::ANSWER`].
const ANSWERS: [usize; 14] = [0, 1, 2, 3, 3, 3, 3, 3, 4, 5, 5, 6, 6, 7];

impl Generator<'_> {
    /// Memory for an exchange, and the statement that takes it.
    pub(super) fn place(&mut self, name: &str) -> (String, Place) {
        let at = |base: &str, known, room| Place { base: base.to_owned(), known, room, is_free: false };
        let own = self.own_end - 0x80;
        match self.random.below(16) {
            0..7 => (format!("let {name} := mload(0x40)\n"), Place { is_free: true, ..at(name, 0, 0x200) }),
            7 | 8 => (format!("let {name} := allocate(0x{ALLOCATED:x})\n"), at(name, 0, ALLOCATED)),
            9 => (
                format!("let {name} := mload(0x40) mstore(0x40, add({name}, 0x{ALLOCATED:x}))\n"),
                at(name, 0, ALLOCATED),
            ),
            10 | 11 if !self.buffers.is_empty() => (String::new(), self.random.pick(&self.buffers).clone()),
            12 | 10 => (String::new(), at("0x0", 0x40, 0x40)),
            13 => {
                let start = *self.random.pick(&[4, 0x1c, 0x20]);
                (String::new(), at(&format!("0x{start:x}"), 0x40 - start, 0x40 - start))
            }
            14 if own > 0 && self.random.once_in(2) => (String::new(), at("0x60", 0x20 + own, 0x20 + own)),
            14 => (String::new(), at("0x60", 0x20, 0x20)),
            15 if own > 0 => (String::new(), at("0x80", own, own)),
            _ => (format!("let {name} := mload(0x40)\n"), Place { is_free: true, ..at(name, 0, 0x200) }),
        }
    }

    /// Four bytes that a contract answers to in some way.
    fn selector(&mut self) -> u64 {
        let first = *self.random.pick(&ANSWERS) as u64;
        let kind = if self.random.once_in(12) { 0x18 } else { *self.random.pick(&[0, 8, 0x10, 0x20, 0xa0]) };
        (first | kind) << 24 | (self.random.next() & 0x00ff_ffff)
    }

    /// A word that begins with a selector.
    pub(super) fn selector_word(&mut self) -> String {
        let selector = self.selector();
        match self.random.below(7) {
            0..3 => format!("shl(224, 0x{selector:x})"),
            3 => format!("0x{selector:08x}{:056x}", 0),
            4 => format!("shl(224, {})", self.value()),
            5 => format!("shl(224, add(0x{selector:x}, and({}, 7)))", self.value()),
            _ => format!("or(shl(224, 0x{selector:x}), shr(32, {}))", self.value()),
        }
    }

    /// Stores an input; where it begins in the place, and its size.
    pub(super) fn input(&mut self, place: &mut Place) -> (String, usize, usize) {
        let sizes: Vec<usize> = SIZES.into_iter().filter(|size| *size <= place.room).collect();
        let size = *self.random.pick(&sizes);
        let mut stores = Vec::new();
        let mut start = 0;
        let room = place.room;
        let fits = |end: usize| end <= room;
        match self.random.below(12) {
            // The selector ends a word.
            0 | 1 if fits(0x20 + size) && size >= 4 => {
                start = 0x1c;
                stores.push(format!("mstore({}, 0x{:x})", place.at(0), self.selector()));
                for index in 0..(size - 4) / 32 {
                    stores.push(format!("mstore({}, {})", place.at(0x20 + 32 * index), self.value()));
                }
                place.known = place.known.max(0x20 + (size - 4) / 32 * 32);
            }
            2 if size > 0 => {
                stores.push(format!(
                    "calldatacopy({}, 0x{:x}, 0x{size:x})",
                    place.at(0),
                    self.random.below(0x50)
                ));
                place.known = place.known.max(size);
            }
            3 if size > 0 && !self.buffers.is_empty() => {
                let from = self.random.pick(&self.buffers).clone();
                let size = size.min(from.known);
                if size > 0 {
                    stores.push(format!("mcopy({}, {}, 0x{size:x})", place.at(0), from.at(0)));
                }
                place.known = place.known.max(size);
            }
            4 | 5 if size >= 4 && fits(0x20.max(size)) => {
                // Words from one on may lie four bytes lower: over the word before them, and without a gap.
                let mut lower = 0;
                for index in 0..size.div_ceil(32) {
                    if index > 0 && self.random.once_in(6) {
                        lower = 4;
                    }
                    let at = 32 * index - lower;
                    if fits(at + 32) {
                        stores.push(format!("mstore({}, {})", place.at(at), self.any_word(index)));
                        place.known = place.known.max(at + 32);
                    }
                }
                if self.random.once_in(3) {
                    stores.reverse();
                }
            }
            6 if size >= 4 && fits(0x20) => {
                // Byte by byte behind the rest.
                stores.push(format!("mstore({}, {})", place.at(0), self.value()));
                self.arguments(place, size, &mut stores);
                let selector = self.selector().to_be_bytes();
                for (index, byte) in selector[4..].iter().enumerate() {
                    stores.push(format!("mstore8({}, 0x{byte:x})", place.at(index)));
                }
                place.known = place.known.max(0x20);
            }
            _ if fits(0x20) => {
                let selector = format!("mstore({}, {})", place.at(0), self.selector_word());
                stores.push(selector);
                place.known = place.known.max(0x20);
                self.arguments(place, size, &mut stores);
                if self.random.once_in(5) {
                    // All but the first four bytes of the first argument goes.
                    stores.rotate_left(1);
                }
            }
            _ => {}
        }
        if self.random.once_in(6) && fits(0x20) && place.known >= 0x20 {
            let at = self.random.below(place.known.min(place.room - 0x20) + 1);
            stores.push(format!("mstore({}, {})", place.at(at), self.value()));
            place.known = place.known.max(at + 0x20);
        }
        if self.random.once_in(10) && place.known > 0 {
            let at = self.random.below(place.known.min(0x40));
            stores.push(format!("mstore8({}, {})", place.at(at), self.value()));
        }
        if self.random.once_in(10) && place.known >= 0x20 {
            let (test, value) = (self.test(), self.value());
            stores.push(format!("if {test} {{ mstore({}, {value}) }}", place.at(place.known - 0x20)));
        }
        let start = if start + size <= place.known { start } else { 0 };
        let size = size.min(place.known - start);
        (stores.join("\n") + "\n", start, size)
    }

    /// Words behind a selector.
    fn arguments(&mut self, place: &mut Place, size: usize, stores: &mut Vec<String>) {
        for index in 0..size.saturating_sub(4) / 32 {
            let at = 4 + 32 * index;
            if at + 32 <= place.room {
                stores.push(format!("mstore({}, {})", place.at(at), self.value()));
                place.known = place.known.max(at + 32);
            }
        }
    }

    fn any_word(&mut self, index: usize) -> String {
        if index == 0 && !self.random.once_in(3) { self.selector_word() } else { self.value() }
    }
}
