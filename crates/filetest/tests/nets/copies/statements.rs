//! What stands in the programs: constants, copies with padding, encoders of texts.

use super::{BLIND, ENCODE, LOOKS, Memory, Place, TESTS, WRITES, Writer};
use crate::ways::{chosen, filled};

/// What padding is, most of the time.
const PADDING: &str = "[0|0|0|0|0|0|0|0|1|not(0)|#v|shl(248, 1)]";

impl Writer {
    /// A word that is stored at once: one of the list, or one that says what is there, or nearly.
    pub(super) fn constant(&mut self, place: &mut Place) -> String {
        let at = self.at(place, 32);
        let mut word = *self.random.pick(&self.words);
        let way = self.random.below(6);
        if way > 2 {
            for (byte, known) in word.iter_mut().zip(&place.bytes[at..]) {
                *byte = known.unwrap_or(*byte);
            }
        }
        if way == 5 {
            word[self.random.below(32)] ^= 1 << self.random.below(8);
        }
        self.store(place, at, word)
    }

    fn store(&mut self, place: &mut Place, at: usize, word: [u8; 32]) -> String {
        let is_near = place.stored.iter().any(|other| other.abs_diff(at) < 32);
        self.found.with_overlapping_constants |= u64::from(is_near && self.runs());
        place.stored.push(at);
        place.write(at, &word.map(Some));
        format!("mstore({}, {})\n", place.address(at), self.literal(word))
    }

    fn literal(&mut self, word: [u8; 32]) -> String {
        let digits = cairn_evm::hex::encode(word);
        let n_zeros = word.iter().rev().take_while(|byte| **byte == 0).count();
        match n_zeros {
            32 => "0".to_owned(),
            1.. if self.random.once_in(4) => {
                format!("shl({}, 0x{})", 8 * n_zeros, &digits[..64 - 2 * n_zeros])
            }
            _ => format!("0x{}", digits.trim_start_matches('0')),
        }
    }

    pub(super) fn byte(&mut self, place: &mut Place) -> String {
        let at = self.at(place, 1);
        let known = place.bytes[at].unwrap_or(0);
        let byte = *self.random.pick(&[known, known, known ^ 1, 0, self.words[0][at % 32]]);
        place.write(at, &[Some(byte)]);
        let more = *self.random.pick(&[0, 0, 0x100]);
        format!("mstore8({}, {})\n", place.address(at), usize::from(byte) + more)
    }

    /// Constants, a copy of them, and padding.
    pub(super) fn padded(&mut self, places: &mut [Place]) -> String {
        let source = self.random.below(places.len());
        let target = if self.random.once_in(3) { self.random.below(places.len()) } else { source };
        let (room, size) =
            (places[source].bytes.len().min(places[target].bytes.len()), places[target].bytes.len());
        let n = self.length().min(room - 32);
        let from = self.at(&places[source], n.next_multiple_of(32).max(32));
        let mut text = self.text(&mut places[source], from, n, 10);
        let (mut length, is_tight) = (n.to_string(), places[source].is_tight || places[target].is_tight);
        if from >= 32 && !is_tight && self.random.once_in(2) {
            let mut word = [0; 32];
            word[31] = n as u8;
            let store = self.store(&mut places[source], from - 32, word);
            text = if self.random.once_in(2) { store + &text } else { text + &store };
            let load = format!("mload({})", places[source].address(from - 32));
            length = self.fresh("n");
            let is_bare = self.memory == Memory::Owned && self.random.once_in(2);
            let load = if is_bare { load } else { format!("and({load}, 0x7f)") };
            text += &format!("let {length} := {load}\n");
        }
        text += &self.sometimes(places, 3);
        let to = match self.random.below(3) {
            0 if source == target => (from + self.random.below(100)).saturating_sub(50).min(size - n - 32),
            _ => self.at(&places[target], n + 32),
        };
        let (source, bytes) = (places[source].address(from), places[source].bytes[from..from + n].to_vec());
        places[target].write(to, &bytes);
        self.found.with_copy |= u64::from(self.copy == "mcopy" && self.runs());
        let to_address = places[target].address(to);
        text += &format!("{}({to_address}, {source}, {length})\n", self.copy);
        text += &self.sometimes(places, 4);
        let by = *self.random.pick(&[0, 0, 0, 0, 0, 0, 0, 0, 1, -1, 31, -31, 32, -32, 5, -7]);
        let end = (to + n).saturating_add_signed(by).min(size - 32);
        let address = match length.parse::<usize>() {
            Ok(_) => places[target].address(end),
            Err(_) if by < 0 => format!("sub(add({to_address}, {length}), {})", (-by).min((to + n) as isize)),
            Err(_) => format!("add({to_address}, add({length}, {by}))"),
        };
        places[target].write(end, &[Some(0); 32]);
        let padding = match self.random.below(12) {
            0 => return text,
            1 => format!("calldatacopy({address}, calldatasize(), [32|31|1])\n"),
            2 => format!("mstore8({address}, 0)\n"),
            3 => format!("mstore({address}, {})\n", {
                let word = *self.random.pick(&self.words);
                self.literal(word)
            }),
            _ => format!("mstore({address}, {PADDING})\n"),
        };
        text += &self.fill(&padding, &places[target]);
        text
    }

    /// The words of a text of `n` bytes, but for one in `hole`.
    fn text(&mut self, place: &mut Place, from: usize, n: usize, hole: usize) -> String {
        let (mut stores, keeps_rest) = (Vec::new(), self.random.once_in(3));
        for at in (0..n.max(1)).step_by(32) {
            let mut word = *self.random.pick(&self.words);
            if !keeps_rest {
                word[(n - at).min(32)..].fill(0);
            }
            if !self.random.once_in(hole) {
                stores.push(self.store(place, from + at, word));
            }
        }
        if self.random.once_in(4) {
            stores.reverse();
        }
        stores.concat()
    }

    fn sometimes(&mut self, places: &mut [Place], once_in: usize) -> String {
        if !self.random.once_in(once_in) {
            return String::new();
        }
        let index = self.random.below(places.len());
        match self.random.below(4) {
            0 => self.constant(&mut places[index]),
            1 => self.fill(WRITES, &places[index]),
            2 => self.fill(BLIND, &places[index]),
            _ => self.fill(LOOKS, &places[index]),
        }
    }

    /// Texts in memory, encoded one behind the other; the encoder is solc's, or one thing is different in it.
    pub(super) fn encoder(&mut self, end: &str) -> String {
        let (n_texts, is_usual, name) = (self.random.between(1, 3), self.random.once_in(2), self.fresh("t"));
        let (mut free, mut text) = (128, String::new());
        for index in 0..n_texts {
            let n = self.length();
            let size = n.next_multiple_of(32).max(32);
            text += &self.allocation(&format!("{name}{index}"), &mut free, 32 + size);
            let mut place = Place::new(&format!("{name}{index}"), 32 + size);
            text += &format!("mstore({name}{index}, {n})\n{}", self.text(&mut place, 32, n, usize::MAX));
            if self.random.once_in(4) {
                text += &self.fill(BLIND, &place);
            }
        }
        self.found.with_copy |= u64::from(self.copy == "mcopy");
        let start = *self.random.pick(&[0, 0, 4]);
        text += &self.allocation(&format!("{name}h"), &mut free, 0);
        if !is_usual {
            text += &format!(
                "calldatacopy({name}h, {}, 0x300)\n",
                if start > 0 { "0" } else { "calldatasize()" }
            );
        }
        if start > 0 {
            text += &format!("mstore({name}h, shl(224, 0x08c379a0))\n");
        }
        text += &format!("let {name}e := add({name}h, {})\n", start + 32 * n_texts);
        for index in 0..n_texts {
            text += &format!(
                "mstore(add({name}h, {}), sub({name}e, add({name}h, {start})))\n",
                start + 32 * index
            );
            let encoder = if is_usual { ENCODE.to_owned() } else { self.other_encoder() };
            text += &self.encoded(&format!("{name}{index}"), &format!("{name}e"), &encoder);
        }
        let end = chosen(end, &mut self.random);
        let cut = if is_usual { 0 } else { *self.random.pick(&[0, 0, 1, 7, 31]) };
        let output = format!("({name}h, sub(sub({name}e, {name}h), {cut}))");
        let variable = self.fill("#v", &Place::new("0", 64));
        let look = format!("{variable} := add({variable}, keccak256{output})");
        format!("{{\n{text}{}\n}}\n", if end == "keccak" { look } else { end + &output })
    }

    /// A variable that is the address of free memory.
    fn allocation(&self, name: &str, free: &mut usize, size: usize) -> String {
        let at = *free;
        *free += size;
        match self.memory {
            Memory::Owned => format!("let {name} := {at}\n"),
            Memory::Pointer | Memory::Guarded if size == 0 => format!("let {name} := mload(0x40)\n"),
            Memory::Pointer | Memory::Guarded => {
                format!("let {name} := mload(0x40) mstore(0x40, add({name}, {size}))\n")
            }
        }
    }

    /// [`ENCODE`] with one thing changed, or nothing.
    fn other_encoder(&mut self) -> String {
        let changes = ["#d=[1|31|32|not(0)|not(30)]", "#p=[1|not(0)|v0]", "#o=[0|7]", "#d=0"];
        let change = chosen(self.random.pick::<&str>(&changes), &mut self.random);
        let (what, by) = change.split_once('=').expect("stands in each");
        ENCODE.replace(what, by)
    }

    fn encoded(&mut self, value: &str, end: &str, encoder: &str) -> String {
        if encoder == ENCODE && self.random.once_in(2) {
            return format!("{end} := encode({value}, {end})\n");
        }
        let body = usual(encoder, self.copy).replace("end :=", &format!("{end} :="));
        format!("{{ let value := {value} let pos := {end} {body}}}\n")
    }

    /// Where so many bytes of a place may begin: mostly near to where something begins or ends.
    fn at(&mut self, place: &Place, length: usize) -> usize {
        let last = place.bytes.len() - length;
        let near = *self.random.pick(&place.marks);
        match self.random.below(8) {
            0 => 32 * self.random.below(last / 32 + 1),
            1 => self.random.below(last + 1),
            2..5 => near.min(last),
            5 => near.saturating_sub(length).min(last),
            6 => (near + self.random.below(64)).saturating_sub(32).min(last),
            _ => (near + *self.random.pick(&[0, 2, 31, 33])).saturating_sub(1).min(last),
        }
    }

    /// Of a copy.
    fn length(&mut self) -> usize {
        match self.random.below(8) {
            0..4 => self.random.between(1, 31),
            4 => *self.random.pick(&[0, 1, 31, 32, 33, 63, 64, 65]),
            _ => self.random.between(0, 70),
        }
    }

    /// One of what the template may be, filled in.
    pub(super) fn fill(&mut self, template: &str, place: &Place) -> String {
        let mut text = chosen(template, &mut self.random);
        while !self.has_calls && text.contains("call(") {
            text = chosen(template, &mut self.random);
        }
        filled(&text, |letter| match letter {
            "v" => format!("{}{}", self.letter, self.random.below(3)),
            "t" => self.fill(TESTS, place),
            "k" => self.random.below(70).to_string(),
            "s" => self.random.pick(&[0, 1, 5, 31, 32]).to_string(),
            "c" => self.copy.to_owned(),
            "a" => place.address(self.at(place, 32)),
            "r" => {
                let at = self.at(place, 0);
                let n = place.bytes.len() - at;
                let n = if self.random.once_in(3) { n } else { self.random.below(n.min(70) + 1) };
                format!("{}, {n}", place.address(at))
            }
            "m" if self.asks_size => self.fill("#v := add(#v, msize())", place),
            "m" => self.fill("#v := not(#v)", place),
            other => unreachable!("no placeholder `{other}`"),
        })
    }

    /// Whether what is written now runs, unless the program ends before.
    fn runs(&self) -> bool {
        self.depth == 0 && self.letter == "v"
    }

    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}_{}", self.next_name)
    }
}

/// An encoder as solc's, where nothing else is said.
pub(super) fn usual(encoder: &str, copy: &str) -> String {
    encoder.replace("#d", "0").replace("#p", "0").replace("#o", "31").replace("#c", copy)
}
