//! Solidity's part, and what is seen of the pointer.

use super::{Buffer, Generator, Sight};
use crate::ways::{choice, sequence};

/// Buffers above the pointer, which are forgotten; the values are computed before the pointer is loaded.
const PEEKS: [&str; 6] = [
    "let #n_ := #x let #n := mload(0x40) mstore(#n, #n_) mstore(add(#n, 0x20), #c) #v := keccak256(#n, 0x40)",
    "let #n_ := #x let #n := mload(0x40) mstore(#n, #n_) log1(#n, 0x20, #c)",
    "let #n_ := #x let #n := allocate_unbounded() sstore(2, keccak256(#n, sub(encode(#n, #n_, #c), #n)))",
    "let #n := mload(0x40) calldatacopy(#n, 0, calldatasize()) #v := keccak256(#n, calldatasize())",
    "let #n_ := #x let #n := mload(0x40) mstore(#n, #n_) pop(staticcall(gas(), 4, #n, 0x20, #n, 0x20)) #v := mload(#n)",
    "let #n_ := #x let #n := mload(0x40) put(#n, #n_) #v := add(#v, get(#n))",
];

/// Loads of the pointer behind which nothing is allocated, and of its word by other means; its number is seen.
const LOOKS: [&str; 16] = [
    "#v := mload(0x40)",
    "#v := add(#v, mload(64))",
    "sstore(3, mload(0x40))",
    "log1(0, 0, mload(0x40))",
    "mstore(0, mload(0x40)) #v := mload(0)",
    "#v := look()",
    "#v := same(mload(0x40))",
    "tstore(3, mload(0x40)) #v := add(#v, tload(3))",
    "if lt(mload(0x40), 0x101) { #v := add(#v, 1) }",
    "if and(mload(0x40), 0x20) { mstore(0, mload(0x40)) revert(0, 0x20) }",
    "log0(0x40, 0x20)",
    "#v := keccak256(0x40, 0x20)",
    "mcopy(0x20, 0x40, 0x20) #v := mload(0x20)",
    "pop(call(300000, 0xe1, 0, 0x40, 0x20, 0, 0x20)) #v := mload(0)",
    "#v := and(mload(0x50), shl(128, not(0)))",
    "if #c { return(0x20, 0x40) }",
];

/// Around statements: what the pointer was before and is behind them.
const COMPARED: [(&str, &str); 8] = [
    ("let #n := mload(0x40)", "#v := eq(#n, mload(0x40))"),
    ("let #n := mload(0x40)", "#v := sub(mload(0x40), #n)"),
    ("let #n := mload(0x40)", "if gt(mload(0x40), #n) { #v := add(#v, 7) }"),
    ("tstore(8, mload(0x40))", "#v := xor(tload(8), mload(0x40))"),
    ("let #n := look()", "#v := sub(look(), #n)"),
    ("let #n := mload(0x40)", "sstore(3, #n)"),
    ("let #n := mload(0x40)", "log1(0, 0, sub(look(), #n))"),
    ("mstore(0x20, mload(0x40))", "#v := sub(mload(0x40), mload(0x20))"),
];

/// Look at where memory lies, or what was there before, or at the word of the pointer but by a
/// load of all of it.
const EXACT: [&str; 24] = [
    "mstore(0x80, #x)",
    "mstore(0xc0, #x)",
    "mstore(add(0x80, and(#c, 0xff)), #x)",
    "#v := mload(add(0x80, and(#c, 0x1ff)))",
    "#v := keccak256(0x80, 0x100)",
    "log0(0, and(mload(0x40), 0x7ff))",
    "calldatacopy(0xa0, 0, calldatasize())",
    "mcopy(0x80, 0xa0, 0x60)",
    "mcopy(add(mload(0x40), 0x20), 0x80, 0x40)",
    "#v := mload(mload(0x40))",
    "mstore(mload(0x40), #x) #v := xor(#v, mload(add(mload(0x40), 0x10)))",
    "mstore(0x40, add(mload(0x40), 5))",
    "if gt(mload(0x40), 0xbf) { mstore(0x40, sub(mload(0x40), 0x20)) }",
    "mstore(0x40, add(mload(0x40), and(#x, 0x7f)))",
    "for { let #n := 0x80 } lt(#n, 0x100) { #n := add(#n, 0x20) } { #v := add(mul(#v, 3), mload(#n)) }",
    "for { let #n := 0x80 } lt(#n, 0x100) { #n := add(#n, 0x20) } { mstore(#n, add(#x, #n)) }",
    "log0(0x40, 0x20)",
    "#v := keccak256(0x40, 0x20)",
    "#v := keccak256(0x20, 0x40)",
    "mcopy(0x20, 0x40, 0x20) #v := mload(0x20)",
    "pop(call(300000, 0xe1, 0, 0x40, 0x20, 0, 0x20)) #v := mload(0)",
    "#v := mload(and(#c, 0x60))",
    "#v := get(low(#c))",
    "#v := and(mload(0x50), shl(128, not(0)))",
];

/// Look at where a buffer lies.
const PLACED: [&str; 5] = [
    "sstore(3, #b)",
    "#v := gt(#b, mload(0x40))",
    "#v := sub(mload(64), #b)",
    "mstore(add(#b, and(#c, 0xff)), #x)",
    "#v := keccak256(#b, and(#c, 0xff))",
];

/// With scratch, and below the start of the pointer.
const PLAIN: [&str; 9] = [
    "mstore(0, #x) mstore(0x20, #x) #v := keccak256(0, 0x40)",
    "#v := hash_scratch(#x, #x)",
    "mstore(0, #x) #v := add(#v, shr(8, mload(0)))",
    "#v := hash_pair(#x, #x)",
    "#v := recurse(and(#c, 3), #x)",
    "#v := ask(0xe1, #x, #x)",
    "if eq(and(#c, 15), 3) { #v := ask(address(), #x, #x) }",
    "pop(call(300000, 0xe2, 0, 0, 0x20, 0, 0x20)) #v := returndatasize()",
    "if lt(#x, 0x1000) { let #n := allocate_touched(#v) #v := mload(#n) }",
];

impl Generator<'_> {
    pub(super) fn statements(&mut self, n: usize) -> String {
        sequence(self, n, |this| &mut this.left, Self::statement)
    }

    fn nested(&mut self, n: usize) -> String {
        let lengths = (self.pure.len(), self.values.len(), self.buffers.len());
        self.depth += 1;
        let text = self.statements(n);
        self.depth -= 1;
        self.pure.truncate(lengths.0);
        self.values.truncate(lengths.1);
        self.buffers.truncate(lengths.2);
        text
    }

    fn statement(&mut self) -> String {
        let is_deep = self.depth >= 3;
        match self.random.below(44) {
            0..9 => self.allocation(),
            9..14 if !self.buffers.is_empty() => self.use_of_buffer(),
            14..16 => {
                let template = *self.random.pick(&PLAIN);
                self.block(template)
            }
            16..18 if !is_deep => {
                let (test, n) = (self.test(), self.random.between(1, 3));
                let one = self.nested(n);
                if self.random.once_in(2) {
                    return format!("if {test} {{\n{one}}}");
                }
                let other = self.nested(2);
                choice(&test, &one, &other)
            }
            18..20 if !is_deep => self.rounds(),
            20..22 if self.n_funcs > 0 && !self.buffers.is_empty() => {
                let (variable, number) = (self.variable(), self.random.below(self.n_funcs));
                let buffer = self.random.below(self.buffers.len());
                let place = self.word_of(buffer);
                format!("{variable} := f{number}({}, {}, {place})", self.pure(), self.value())
            }
            22..26 => self.section(),
            26..28 => {
                let template = *self.random.pick(&PEEKS);
                self.block(template)
            }
            28..30 => self.early_end(),
            30 if self.sight < Sight::Wild => {
                let value = self.value();
                self.low_store(false, &value)
            }
            30..33 if self.sight == Sight::Wild => self.left_covered(),
            31..36 if self.sight >= Sight::Looks => self.look(),
            36..39 if self.sight >= Sight::Exact => self.exact(),
            39 => self.elsewhere(),
            40 if self.start == 0x100 => {
                let template = *self
                    .random
                    .pick(&["mstore(add(0x80, and(#c, 0x5f)), #x)", "#v := mload(add(0x80, and(#c, 0x5f)))"]);
                self.filled(template)
            }
            41 => self.mixed(),
            _ => format!("{} := {}", self.variable(), self.value()),
        }
    }

    fn block(&mut self, template: &str) -> String {
        format!("{{ {} }}", self.filled(template))
    }

    fn named(&mut self, name: &str, n_words: usize, is_struct: bool) {
        self.buffers.push(Buffer { name: name.to_owned(), is_struct, n_words });
    }

    fn allocation(&mut self) -> String {
        let name = self.fresh("b");
        let n = self.random.between(1, 4);
        let (text, is_struct) = match self.random.below(10) {
            0..3 => {
                let mut text = format!("let {name} := allocate(0x{:x})", 32 * n);
                for word in 0..n {
                    text += &format!(" mstore(add({name}, 0x{:x}), {})", 32 * word, self.value());
                }
                (text, false)
            }
            3 => {
                let values: Vec<String> = (0..n).map(|_| self.value()).collect();
                let kept: Vec<String> = (0..n).map(|_| self.fresh("k")).collect();
                let mut text: String =
                    kept.iter().zip(&values).map(|(kept, value)| format!("let {kept} := {value} ")).collect();
                text += &format!("let {name} := mload(0x40)");
                for (word, kept) in kept.iter().enumerate() {
                    text += &format!(" mstore(add({name}, 0x{:x}), {kept})", 32 * word);
                }
                self.values.extend(kept);
                (text + &format!(" mstore(0x40, add({name}, 0x{:x}))", 32 * n), false)
            }
            4 => (format!("let {name} := zeroed({n})"), false),
            5 => (format!("let {name} := array(and({}, 3), {})", self.value(), self.value()), false),
            6 => {
                let text =
                    format!("let {name} := bytes_of_calldata({}, and({}, 0x5f))", self.pure(), self.value());
                (text, false)
            }
            7 => (format!("let {name} := bytes_of_returndata()"), false),
            _ => {
                let inner = self.random.below(self.buffers.len() + 1);
                let inner = match self.buffers.get(inner) {
                    Some(buffer) if buffer.n_words >= 2 && !buffer.is_struct => buffer.name.clone(),
                    _ => "zeroed(2)".to_owned(),
                };
                (format!("let {name} := struct({}, {}, {inner})", self.value(), self.value()), true)
            }
        };
        let n_words = match () {
            () if is_struct => 3,
            () if text.contains("array(") || text.contains("bytes_of_") => 1,
            () => n,
        };
        self.named(&name, n_words, is_struct);
        text
    }

    /// The place of a word that holds no pointer.
    fn word_of(&mut self, index: usize) -> String {
        let Buffer { name, is_struct, n_words } = self.buffers[index].clone();
        if is_struct && self.sight < Sight::Exact && self.random.once_in(3) {
            return format!("add(mload({name}), 0x{:x})", 32 * self.random.below(2));
        }
        match self.random.between(usize::from(is_struct), n_words - 1) {
            0 => name,
            word => format!("add({name}, 0x{:x})", 32 * word),
        }
    }

    pub(super) fn read(&mut self, index: usize) -> String {
        let place = self.word_of(index);
        let Buffer { name, is_struct, n_words } = self.buffers[index].clone();
        match self.random.below(4) {
            0 if !is_struct => format!("keccak256({name}, 0x{:x})", 32 * n_words),
            1 => format!("get({place})"),
            _ => format!("mload({place})"),
        }
    }

    fn use_of_buffer(&mut self) -> String {
        let index = self.random.below(self.buffers.len());
        let is_length = self.buffers[index].n_words == 1;
        let (place, read) = (self.word_of(index), self.read(index));
        match self.random.below(7) {
            // What holds a length keeps it small.
            0 | 1 if is_length => self.filled(&format!("mstore({place}, and(#x, 0x1f))")),
            0 => self.filled(&format!("mstore({place}, #x)")),
            1 => self.filled(&format!("put({place}, #x)")),
            2 => format!("sstore(2, {read})"),
            3 if !is_length => self.filled(&format!("calldatacopy({place}, #c, 0x20)")),
            4 => format!("log1({place}, 0x20, {read})"),
            _ => self.filled(&format!("#v := add(mul(#v, 3), {read})")),
        }
    }

    fn rounds(&mut self) -> String {
        let (counter, n) = (self.fresh("i"), self.random.between(1, 3));
        let bound = if self.random.once_in(3) { format!("and({}, 3)", self.pure()) } else { n.to_string() };
        self.pure.push(counter.clone());
        let n = self.random.between(1, 3);
        let mut body = self.nested(n);
        self.pure.pop();
        if self.random.once_in(4) {
            body += &format!("if {} {{ {} }}\n", self.test(), self.random.pick(&["break", "continue"]));
        }
        format!(
            "for {{ let {counter} := 0 }} lt({counter}, {bound}) {{ {counter} := add({counter}, 1) }} {{\n{body}}}"
        )
    }

    /// Sees the pointer's number.
    fn look(&mut self) -> String {
        if self.depth < 3 && self.random.once_in(2) {
            let name = self.fresh("m");
            let (before, behind) = *self.random.pick(&COMPARED);
            let n = self.random.between(1, 3);
            let body = self.nested(n);
            let behind = self.filled(&behind.replace("#n", &name));
            return format!("{{\n{}\n{body}{behind}\n}}", before.replace("#n", &name));
        }
        let template = *self.random.pick(&LOOKS);
        self.filled(template)
    }

    fn exact(&mut self) -> String {
        if !self.buffers.is_empty() && self.random.once_in(3) {
            let template = *self.random.pick(&PLACED);
            let name = self.random.pick(&self.buffers).name.clone();
            return self.filled(&template.replace("#b", &name));
        }
        let template = *self.random.pick(&EXACT);
        self.block(template)
    }

    /// Memory is allocated elsewhere for a while.
    fn elsewhere(&mut self) -> String {
        let name = self.fresh("m");
        let place = *self.random.pick(&[
            "0x2000",
            "0x2000",
            "add(0x2000, and(#c, 0xfff))",
            "add(mload(0x40), 0x400)",
        ]);
        let place = self.filled(place);
        let body = self.nested(2);
        format!("{{\nlet {name} := mload(0x40) mstore(0x40, {place})\n{body}mstore(0x40, {name})\n}}")
    }

    /// A function gets a place in scratch, or one of a buffer.
    fn mixed(&mut self) -> String {
        let value = self.value();
        match self.random.below(4) {
            0 => format!("put({}, {value})", self.random.pick(&["0", "0x20", "0x1f"])),
            1 => self.filled("mstore(0, #x) #v := add(#v, get(0))"),
            2 => self.filled(
                "{ let #n := 0x20 if and(#c, 1) { #n := allocate(0x20) } mstore(#n, #x) #v := mload(#n) }",
            ),
            _ => self.filled("{ let #n := allocate(0x20) put(#n, #x) #v := get(#n) }"),
        }
    }
}
