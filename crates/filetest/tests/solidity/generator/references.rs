//! Expressions of types that lie in memory, storage or calldata, and functions that make fresh ones.

use super::scope::{Effects, Path, Writer};
use super::types::{Place, Type, WORD};

impl Writer {
    /// An expression that may be stored where values of the type lie.
    pub(crate) fn reference(&mut self, kind: &Type, depth: usize) -> String {
        if self.chance(55)
            && let Some(path) = self.path(|found, _| found == kind)
            && (path.conditions.is_empty() || self.chance(10))
        {
            return path.text;
        }
        if depth == 0 {
            return self.plain(kind);
        }
        if self.chance(25) {
            let known = self.callable(|function| function.results == [kind.clone()]);
            if !known.is_empty() {
                let function = self.random.pick(&known).clone();
                return self.call(&function, depth - 1);
            }
        }
        if self.chance(12) && self.effects != Effects::None && !kind.names_functions() {
            let inner = self.reference(kind, depth - 1);
            // What was encoded by its own type is decoded, or fails.
            return format!("abi.decode(abi.encode({inner}), ({}))", kind.text());
        }
        match kind {
            Type::Bytes => self.bytes(depth),
            Type::String => self.string(depth),
            Type::Struct(index) => self.constructed(*index, depth),
            Type::Fixed(element, length) if element.is_value() && **element != Type::External => {
                let elements: Vec<String> = (0..*length).map(|_| self.value(element, depth - 1)).collect();
                // Literals alone would have the type of the first one.
                let first = format!("{}({})", element.text(), elements[0]);
                let first = match **element {
                    Type::Wrapped(_) => elements[0].clone(),
                    _ => first,
                };
                format!("[{}]", [&[first], &elements[1..]].concat().join(", "))
            }
            kind => self.plain(kind),
        }
    }

    /// Without anything that computes.
    fn plain(&mut self, kind: &Type) -> String {
        match kind {
            Type::Bytes => {
                ["hex\"\"", "hex\"00ff\"", "bytes(\"bytes that are longer than a word, by a few\")"]
                    [self.random.below(3)]
                .into()
            }
            Type::String => ["\"\"", "\"short\"", "\"a text that does not fit into one word of thirty-two\""]
                [self.random.below(3)]
            .into(),
            Type::Array(element) if self.chance(30) => {
                format!("new {}[]({})", element.text(), self.random.below(4))
            }
            kind => {
                let name = self.fresh_of(kind);
                let seed = if self.chance(50) { self.leaf(&WORD) } else { self.random.below(9).to_string() };
                format!("{name}({seed})")
            }
        }
    }

    fn constructed(&mut self, index: usize, depth: usize) -> String {
        let members = self.names.structs[index].clone();
        let values: Vec<String> =
            members.iter().map(|member| self.argument(member, Place::Memory, depth - 1)).collect();
        if self.chance(60) {
            return format!("S{index}({})", values.join(", "));
        }
        let named: Vec<String> =
            values.iter().enumerate().rev().map(|(at, value)| format!("m{at}: {value}")).collect();
        format!("S{index}({{{}}})", named.join(", "))
    }

    fn bytes(&mut self, depth: usize) -> String {
        match self.random.below(9) {
            0 | 1 => {
                let values = self.encodable(depth);
                format!("abi.encode({})", values.join(", "))
            }
            2 | 3 => {
                let count = self.random.between(1, 4);
                let values: Vec<String> = (0..count).map(|_| self.packable(depth)).collect();
                format!("abi.encodePacked({})", values.join(", "))
            }
            4 => {
                let (left, right) =
                    (self.reference(&Type::Bytes, depth - 1), self.reference(&Type::Bytes, depth - 1));
                let middle = self.value(&Type::FixedBytes(3), depth - 1);
                format!("bytes.concat({left}, {middle}, {right})")
            }
            5 => match self.path(|kind, place| *kind == Type::Bytes && place == Place::Calldata) {
                Some(Path { text, conditions, .. }) if conditions.is_empty() => match self.random.below(3) {
                    0 => format!("{text}[{text}.length / 2:]"),
                    1 => format!("{text}[:{text}.length % 5]"),
                    _ => format!("{text}[1:3]"),
                },
                _ => format!("bytes({})", self.stringlike(depth)),
            },
            6 => {
                let length = self.leaf(&Type::Uint(8));
                format!("new bytes({length} % 70)")
            }
            7 if self.effects != Effects::None => {
                let values = self.encodable(depth);
                match self.random.below(3) {
                    0 => format!("abi.encodeWithSelector(bytes4(0xa1b2c3d4), {})", values.join(", ")),
                    1 => format!("abi.encodeWithSignature(\"some(uint256)\", {})", values.join(", ")),
                    _ if self.level < 2 => format!("abi.encode({})", values.join(", ")),
                    _ => {
                        let word = self.value(&WORD, depth - 1);
                        format!("abi.encodeCall(this.hop, ({word}))")
                    }
                }
            }
            8 if self.effects != Effects::None => match self.random.below(2) {
                0 => "msg.data".into(),
                _ => "msg.data[4:]".into(),
            },
            _ => self.plain(&Type::Bytes),
        }
    }

    /// A string that is no literal.
    fn stringlike(&mut self, depth: usize) -> String {
        match self.path(|kind, _| *kind == Type::String).filter(|path| path.conditions.is_empty()) {
            Some(path) => path.text,
            None => self.string(depth),
        }
    }

    fn string(&mut self, depth: usize) -> String {
        match self.random.below(3) {
            0 => {
                let [left, right] = [0; 2].map(|_| self.reference(&Type::String, depth - 1));
                format!("string.concat({left}, {right})")
            }
            1 => format!("string(bytes.concat({}))", self.reference(&Type::Bytes, depth - 1)),
            _ => format!("string(abi.encodePacked({}))", self.packable(depth)),
        }
    }

    /// Some values that can be encoded.
    pub(crate) fn encodable(&mut self, depth: usize) -> Vec<String> {
        let count = self.random.between(1, 3);
        let one = |writer: &mut Writer| {
            if writer.chance(45)
                && let Some(path) =
                    writer.path(|kind, _| !kind.is_value() && !matches!(kind, Type::Mapping(..)))
                && path.conditions.is_empty()
            {
                let is_sliced = path.place == Place::Calldata && matches!(path.kind, Type::Array(_));
                // What slices of arrays can be passed to is encoding, and words only.
                let is_sliced = is_sliced && path.kind == Type::Array(Box::new(WORD)) && writer.chance(40);
                return if is_sliced { format!("{0}[{0}.length / 2:]", path.text) } else { path.text };
            }
            let kind = writer.names.value(&mut writer.random);
            writer.typed(&kind, depth)
        };
        (0..count).map(|_| one(self)).collect()
    }

    /// A value that is no bare literal.
    fn typed(&mut self, kind: &Type, depth: usize) -> String {
        let text = self.value(kind, depth - 1);
        match kind {
            Type::Bool | Type::Wrapped(_) | Type::External | Type::Enum(_) => text,
            kind => format!("{}({text})", kind.text()),
        }
    }

    fn packable(&mut self, depth: usize) -> String {
        if self.chance(30) {
            let wanted = |kind: &Type, _| match kind {
                Type::Bytes | Type::String => true,
                Type::Array(element) | Type::Fixed(element, _) => {
                    element.is_value() && **element != Type::External
                }
                _ => false,
            };
            if let Some(path) = self.path(wanted).filter(|path| path.conditions.is_empty()) {
                return path.text;
            }
        }
        let kind = self.names.value(&mut self.random);
        let kind = if kind == Type::External { WORD } else { kind };
        self.typed(&kind, depth)
    }

    /// The name of the free function that makes values of a type.
    pub(crate) fn fresh_of(&mut self, kind: &Type) -> String {
        let known = self.fresh.iter().position(|made| made == kind);
        let index = known.unwrap_or_else(|| {
            self.fresh.push(kind.clone());
            self.fresh.len() - 1
        });
        format!("fresh{index}")
    }

    /// All functions that [`Self::fresh_of`] gave names of.
    pub(crate) fn fresh_functions(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut at = 0;
        while let Some(kind) = self.fresh.get(at).cloned() {
            let made = kind.placed(Place::Memory);
            lines.push(format!("function fresh{at}(uint256 s) pure returns ({made} r) {{"));
            lines.push("unchecked {".into());
            if kind == Type::External {
                lines.push("s = s % 3;".into());
                lines
                    .push("assembly (\"memory-safe\") { r.address := add(s, 0xf00) r.selector := s }".into());
            } else {
                let mut depth = 0;
                self.fill(&kind, "r", &mut depth, &mut lines);
            }
            lines.push("}".into());
            lines.push("}".into());
            at += 1;
        }
        lines
    }

    /// Statements that give each part of a value something of its own.
    fn fill(&mut self, kind: &Type, path: &str, loops: &mut usize, lines: &mut Vec<String>) {
        match kind {
            Type::Bytes => lines.push(format!("{path} = abi.encodePacked(s, uint8(s));")),
            Type::String => lines
                .push(format!("{path} = s % 2 == 0 ? \"even\" : \"an odd number, said at some length\";")),
            Type::Array(element) | Type::Fixed(element, _) => {
                let counter = format!("i{loops}");
                *loops += 1;
                if matches!(kind, Type::Array(_)) {
                    lines.push(format!("{path} = new {}[](s % 4);", element.text()));
                }
                lines.push(format!("for (uint256 {counter} = 0; {counter} < {path}.length; {counter}++) {{"));
                self.fill(element, &format!("{path}[{counter}]"), loops, lines);
                lines.push("}".into());
            }
            Type::Struct(index) => {
                for (at, member) in self.names.structs[*index].clone().iter().enumerate() {
                    self.fill(member, &format!("{path}.m{at}"), loops, lines);
                }
            }
            value => {
                let word = format!("(s = s * 7 + {})", self.random.below(300));
                // No number of an enum that it does not have.
                let made = match value {
                    Type::Enum(index) => format!("E{index}({word} % {})", self.names.enums[*index]),
                    Type::External => return,
                    value => self.of_word(&word, value),
                };
                lines.push(format!("{path} = {made};"));
            }
        }
    }
}
