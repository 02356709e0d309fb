//! A call with its input and its output, and what stands around it.

use super::{Generator, Place};
use crate::world;

const OUTPUTS: [usize; 12] = [0, 1, 31, 32, 32, 32, 32, 32, 32, 33, 64, 96];

impl Generator<'_> {
    /// Builds an input, calls, and looks at the answer.
    pub(super) fn exchange(&mut self) -> String {
        if self.random.once_in(3) {
            return self.plain();
        }
        let name = self.fresh("p");
        let (mut text, mut place) = self.place(&name);
        let is_new = place.base == name && !place.is_free;
        if self.random.once_in(8) {
            text += &self.prefill(&mut place);
        }
        let (stores, start, size) = self.input(&mut place);
        text += &stores;
        if self.random.once_in(5) {
            text += &self.between(&place);
        }
        let (out, out_size) = self.output(&place);
        let input = place.from(start);
        let call = self.call(&input.at(0), size, &out.at(0), out_size);
        let is_input = out.base.starts_with(&place.base) || out.base.contains(&format!("({},", place.base));
        // What lies in other places is not of this exchange.
        let rest = if is_input { None } else { Some(place.clone()) };
        text += &self.answered(&call, &out, out_size);
        if let Some(place) = rest.filter(|place| place.known >= 0x20 && !place.is_free)
            && self.random.once_in(4)
        {
            text += &self.use_of(&place);
        }
        if is_new && self.random.once_in(2) {
            self.buffers.push(place);
            return text;
        }
        format!("{{\n{text}}}\n")
    }

    /// As solc writes calls: input and output at the free pointer, one word back.
    fn plain(&mut self) -> String {
        let name = self.fresh("p");
        let mut place = Place { base: name.clone(), known: 0x20, room: 0x200, is_free: true };
        let mut text = format!("let {name} := mload(0x40)\nmstore({name}, {})\n", self.selector_word());
        for index in 0..*self.random.pick(&[0, 1, 1, 1, 2]) {
            let at = 4 + 32 * index;
            text += &format!("mstore({}, {})\n", place.at(at), self.value());
            place.known = at + 32;
        }
        let size = if place.known == 0x20 { 4 } else { place.known };
        let out = *self.random.pick(&[0x20, 0x20, 0x20, 0x40, 0x60]);
        let call = self.call(&name, size, &name, out);
        text += &self.answered(&call, &place, out);
        format!("{{\n{text}}}\n")
    }

    /// What lies in memory before an input, and stays where nothing comes upon it.
    fn prefill(&mut self, place: &mut Place) -> String {
        let mut text = String::new();
        let n = self.random.between(1, 3);
        for index in 0..n {
            if 32 * index + 32 <= place.room {
                text += &format!("mstore({}, {})\n", place.at(32 * index), self.value());
                place.known = place.known.max(32 * index + 32);
            }
        }
        text
    }

    /// Between the stores and the call.
    fn between(&mut self, place: &Place) -> String {
        let mut text = if place.known >= 0x20 && self.random.once_in(2) {
            let size = self.random.between(1, place.known.min(0x44));
            let (place, size) = (place.at(0), format!("0x{size:x}"));
            self.one_of(
                &[
                    "#v := keccak256(#P, #S)",
                    "log0(#P, #S)",
                    "#v := add(#v, mload(#P))",
                    "if #t { revert(#P, #S) }",
                ],
                &[("P", &place), ("S", &size)],
            )
        } else {
            self.one_of(
                &[
                    "sstore(4, #x)",
                    "#v := add(#v, 1)",
                    "if #t { #v := #x }",
                    "if #t { revert(0, 0) }",
                    "#v := extcodesize(#x)",
                ],
                &[],
            )
        };
        text.push('\n');
        text
    }

    /// Where the answer goes, and how much of it.
    fn output(&mut self, place: &Place) -> (Place, usize) {
        let own = self.own_end - 0x80;
        let mut out = match self.random.below(16) {
            0..9 => place.clone(),
            9 => place.from(self.random.pick(&[4, 0x1c, 0x20, 1, 0x10]).min(&place.room).to_owned()),
            10 => place.from(0x40.min(place.room)),
            11 | 12 => Place { base: "0x0".into(), known: 0x40, room: 0x40, is_free: false },
            13 if own > 0 => Place { base: "0x80".into(), known: own, room: own, is_free: false },
            14 if !self.buffers.is_empty() => self.random.pick(&self.buffers).clone(),
            _ => Place { base: "0x0".into(), known: 0x40, room: 0x40, is_free: false },
        };
        let sizes: Vec<usize> = OUTPUTS.into_iter().filter(|size| *size <= out.room).collect();
        let size = *self.random.pick(&sizes);
        out.known = out.known.min(out.room);
        (out, size)
    }

    /// The call itself.
    pub(super) fn call(&mut self, input: &str, size: usize, out: &str, out_size: usize) -> String {
        let (name, account) = match self.random.below(20) {
            0 => ("staticcall", "4".to_owned()),
            1 => ("staticcall", "2".to_owned()),
            2 => ("call", "4".to_owned()),
            3 => (*self.random.pick(&["call", "staticcall", "delegatecall"]), "0x4321".to_owned()),
            4 => (*self.random.pick(&["call", "callcode"]), world::ECHO.to_string()),
            5 => ("call", world::CALLBACK.to_string()),
            6 => (*self.random.pick(&["call", "delegatecall", "staticcall"]), world::COUNTER.to_string()),
            7..10 => (*self.random.pick(&["call", "staticcall", "callcode"]), "address()".to_owned()),
            way => {
                let name = match way {
                    10..14 => "call",
                    14..17 => "staticcall",
                    17 => "callcode",
                    _ => "delegatecall",
                };
                (name, format!("0x{:x}", world::ANSWER))
            }
        };
        let value = match name {
            "call" | "callcode" => *self.random.pick(&["0, ", "0, ", "0, ", "1, ", "callvalue(), "]),
            _ => "",
        };
        format!("{name}(gas(), {account}, {value}{input}, 0x{size:x}, {out}, 0x{out_size:x})")
    }
}
