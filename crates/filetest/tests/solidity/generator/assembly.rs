//! Inline assembly, as people write it: tricks on words, memory of one's own, storage by slot.

use super::scope::{Assembly, Effects, Path, Writer};
use super::types::{Place, Type, WORD};

impl Writer {
    /// A block of assembly that changes a variable; nothing if there is none.
    pub(crate) fn assembly_block(&mut self) {
        let is_local =
            |kind: &Type, place: Place| kind.is_value() && *kind != Type::External && place == Place::Local;
        let Some(target) = self.path(is_local) else { return };
        let word = |writer: &mut Writer| writer.path(is_local).map_or("0x1234".to_owned(), |path| path.text);
        let (a, b) = (word(self), word(self));
        let target = target.text;
        let is_unsafe = self.assembly == Assembly::Unsafe && self.chance(40);
        let mut lines = match is_unsafe {
            true => self.careless(&target, &a, &b),
            false => self.careful(&target, &a, &b),
        };
        let annotation = if is_unsafe { "" } else { " (\"memory-safe\")" };
        lines.insert(0, format!("assembly{annotation} {{"));
        lines.push("}".into());
        self.lines.extend(lines);
    }

    /// Keeps to Solidity's rules for memory.
    fn careful(&mut self, target: &str, a: &str, b: &str) -> Vec<String> {
        let lines = |texts: &[&str]| -> Vec<String> {
            let with = |text: &&str| text.replace("@r", target).replace("@a", a).replace("@b", b);
            texts.iter().map(with).collect()
        };
        let memory =
            self.path(|kind, place| place == Place::Memory && matches!(kind, Type::Bytes | Type::Array(_)));
        let memory = memory.filter(|path| path.conditions.is_empty() && !path.text.contains(['.', '[']));
        match self.random.below(14) {
            0 => lines(&["mstore(0x00, @a)", "mstore(0x20, @b)", "@r := keccak256(0x00, 0x40)"]),
            1 => lines(&[
                "let p := mload(0x40)",
                "mstore(0x40, add(p, 0x60))",
                "mstore(p, @a)",
                "mstore(add(p, 0x20), @b)",
                "mstore(add(p, 0x40), xor(@a, @b))",
                "@r := keccak256(p, 0x60)",
            ]),
            2 => lines(&[
                "let p := mload(0x40)",
                "mstore(p, @a)",
                "mstore8(add(p, 0x1f), @b)",
                "mstore(add(p, 0x20), @b)",
                "@r := xor(mload(p), keccak256(add(p, 1), 0x3f))",
            ]),
            3 => vec![format!("{target} := {}", self.yul(a, b, 3))],
            4 => lines(&[
                "switch and(@a, 3)",
                "case 0 { @r := not(@b) }",
                "case 1 { @r := sub(@a, @b) }",
                "case 2 { if iszero(@b) { @r := 1 } }",
                "default { @r := shr(@a, @b) }",
            ]),
            5 => lines(&[
                "for { let i := 0 let n := and(@a, 7) } lt(i, n) { i := add(i, 1) } {",
                "if eq(i, and(@b, 7)) { continue }",
                "@r := add(mul(@r, 31), byte(i, @b))",
                "if gt(@r, @a) { break }",
                "}",
            ]),
            6 if self.effects == Effects::All && self.has_cancun() => {
                lines(&["tstore(@a, xor(@b, tload(@a)))", "@r := add(tload(@b), tload(@a))"])
            }
            7 => lines(&[
                "let p := mload(0x40)",
                "let n := and(calldatasize(), 0x7f)",
                "calldatacopy(p, 4, n)",
                "mstore(add(p, n), 0)",
                "@r := keccak256(p, add(n, 7))",
            ]),
            8 | 9 => match memory {
                Some(Path { text, .. }) => {
                    let summed = [
                        "let n := mload(@m)".to_owned(),
                        "if gt(n, 9) { n := 9 }".into(),
                        "let sum := 0".into(),
                        "for { let i := 0 } lt(i, n) { i := add(i, 1) } {".into(),
                        "sum := xor(mul(sum, 3), n)".into(),
                        "sum := add(sum, mload(add(add(@m, 0x20), and(i, not(0x1f)))))".into(),
                        "}".into(),
                        format!("{target} := sum"),
                    ];
                    summed.map(|line| line.replace("@m", &text)).into()
                }
                None => lines(&["@r := addmod(@a, @b, 0xffff)"]),
            },
            10 => match memory {
                // Shorter arrays stay valid.
                Some(Path { text, .. }) => vec![
                    format!("if mload({text}) {{ mstore({text}, sub(mload({text}), 1)) }}"),
                    format!("{target} := mload({text})"),
                ],
                None => lines(&["@r := signextend(1, @a)"]),
            },
            11 if self.has_cancun() => lines(&[
                "let p := mload(0x40)",
                "mstore(p, @a)",
                "mstore(add(p, 0x20), @b)",
                "mcopy(add(p, 0x11), p, 0x40)",
                "@r := keccak256(p, 0x51)",
            ]),
            12 if self.effects == Effects::All && self.level >= 2 => {
                let slot = self.random.pick(&["word0.slot", "lane0.slot"]).to_string();
                let mut found = lines(&["@r := sload(@s)", "sstore(@s, xor(@a, sload(@s)))"]);
                found.iter_mut().for_each(|line| *line = line.replace("@s", &slot));
                found
            }
            13 => lines(&[
                "function own(first, second) -> third {",
                "if gt(first, second) { third := first leave }",
                "third := own(add(mul(first, 2), 1), second)",
                "}",
                "@r := own(shr(248, @a), shr(251, @b))",
            ]),
            _ => lines(&["@r := or(shl(4, @a), shr(252, @b))"]),
        }
    }

    /// Takes all memory for its own, and puts back what Solidity needs.
    fn careless(&mut self, target: &str, a: &str, b: &str) -> Vec<String> {
        let texts: &[&str] = match self.random.below(4) {
            0 => &[
                "let free := mload(0x40)",
                "mstore(0x20, @a)",
                "mstore(0x40, @b)",
                "@r := keccak256(0x20, 0x40)",
                "mstore(0x40, free)",
            ],
            1 => &[
                "let free := mload(0x40)",
                "mstore(0x00, @a)",
                "mstore(0x20, @b)",
                "mstore(0x40, xor(@a, @b))",
                "mstore(0x60, 1)",
                "@r := keccak256(0x00, 0x80)",
                "mstore(0x40, free)",
                "mstore(0x60, 0)",
            ],
            2 => &[
                "let p := mload(0x40)",
                "mstore(add(p, 0x100), @a)",
                "mstore(add(p, 0x120), @b)",
                "mstore(add(p, 0x140), 0)",
                "@r := keccak256(add(p, 0x110), 0x40)",
            ],
            _ => &["calldatacopy(0x00, 0x04, 0x40)", "@r := xor(mload(0x05), xor(@a, @b))"],
        };
        let with = |text: &&str| text.replace("@r", target).replace("@a", a).replace("@b", b);
        texts.iter().map(with).collect()
    }

    /// A word of Yul.
    fn yul(&mut self, a: &str, b: &str, depth: usize) -> String {
        if depth == 0 {
            let leaves =
                [a.to_owned(), b.to_owned(), "1".into(), "0xff".into(), "not(0)".into(), "caller()".into()];
            let count = if self.effects == Effects::None { 5 } else { 6 };
            return leaves[self.random.below(count)].clone();
        }
        let [x, y, z] = [0; 3].map(|_| self.yul(a, b, depth - 1));
        match self.random.below(12) {
            0 => format!("sdiv({x}, {y})"),
            1 => format!("smod({x}, {y})"),
            2 => format!("signextend(and({x}, 31), {y})"),
            3 => format!("byte(and({x}, 31), {y})"),
            4 => format!("sar({x}, {y})"),
            5 => format!("slt({x}, {y})"),
            6 => format!("mulmod({x}, {y}, {z})"),
            7 => format!("sub({x}, {y})"),
            8 => format!("iszero({x})"),
            9 => format!("exp({x}, and({y}, 15))"),
            10 => format!("div({x}, {y})"),
            _ => format!("xor({x}, mul({y}, {z}))"),
        }
    }

    /// A word for assembly, of anything.
    pub(crate) fn a_word(&mut self) -> String {
        self.value(&WORD, 1)
    }
}
