//! Families of failing parts: statements with holes, filled anew wherever the program may fail.

use super::Generator;

/// What a part begins with: `@P` is a pointer to four words that are written. The last ones leave the pointer
/// to free memory where it is.
const STARTS: [&str; 9] = [
    "let @P := allocate(@z) mstore(@P, @k) mstore(add(@P, 0x20), @v) mstore(add(@P, 0x40), @k) mstore(add(@P, 0x60), @v)",
    "let @P := allocate(@z) mstore(add(@P, 0x20), @k) mstore(@P, @k) mstore(add(@P, 0x60), @k) mstore(add(@P, 0x40), @k)",
    "let @P := allocate_zeroed(0x80) @s(add(@P, @o), @k)",
    "let @P := allocate(@z) calldatacopy(@P, @o, 0x80) @s(add(@P, @o), @v)",
    "let @P := allocate_filled(@q)",
    "let @P := allocate(@z) for { let @I := 0 } lt(@I, 4) { @I := add(@I, 1) } { mstore(add(@P, mul(@I, 0x20)), add(@q, @I)) }",
    "let @P := text0() mstore(add(@P, @o), @v)",
    "let @P := mload(64) mstore(@P, @k) mstore(add(@P, 0x20), @v) mstore(add(@P, 0x40), @k) mstore(add(@P, 0x60), @v)",
    "let @P := mload(64) calldatacopy(@P, calldatasize(), 0x80) mstore(@P, @k)",
];
const N_ALLOCATING: usize = 7;

/// What it does; the last ones allocate.
const STEPS: [&str; 22] = [
    "@s(add(@P, @o), @v)",
    "@s(add(@P, @o), @k)",
    "mstore(add(@P, @o), @q)",
    "mstore(add(@P, @o), @q)",
    "@y(@K, @v)",
    "sstore(@K, @k)",
    "log1(@P, @l, @k)",
    "log2(add(@P, @o), 0x20, @v, @k)",
    "mstore(add(@P, @o), keccak256(@P, @l))",
    "mstore(add(@P, @o), @Y(@K))",
    "mstore(add(@P, @o), mload(add(@P, @o)))",
    "mstore(add(@P, @o), @e)",
    "mstore(add(@P, @o), @c)",
    "pop(@c) returndatacopy(@P, 0, and(returndatasize(), 0x40))",
    "if @g(@v, @k) { mstore(add(@P, @o), @k) }",
    "if iszero(@v) { @E }",
    "switch and(@v, 3) case 0 { mstore(@P, @k) } case 1 { @E } default { mstore(add(@P, @o), @v) }",
    "for { let @I := 0 } lt(@I, @n) { @I := add(@I, 1) } { mstore(add(@P, mul(@I, 0x20)), @q) }",
    "mcopy(add(@P, @o), add(@P, @o), 0x20)",
    "{ let @Q := text0() mstore(add(@P, @o), mload(add(@Q, @o))) }",
    "{ let @Q := allocate(0x40) mstore(@Q, @k) mstore(add(@Q, 0x20), @v) mstore(add(@P, @o), keccak256(@Q, 0x40)) }",
    "@C",
];
const N_QUIET: usize = 19;

/// How it ends. Some do not fail.
const ENDS: [&str; 20] = [
    "revert(@P, @l)",
    "revert(@P, @l)",
    "revert(@P, 0x80)",
    "revert(@P, 0x80)",
    "revert(add(@P, @o), 0x20)",
    "@f(@P, @k)",
    "@f(@P, @k)",
    "@f(@P, @v)",
    "fail_text(@P, @v, @k)",
    "fail_text(@P, @k, @k)",
    "fail_far(@P, @v)",
    "panic(@k)",
    "panic(@v)",
    "invalid()",
    "if and(@v, 1) { revert(@P, @l) } @f(@P, @k)",
    "if and(@v, 1) { stop() } revert(@P, @l)",
    "for { } 1 { } { if and(@v, 1) { revert(@P, @l) } panic(@k) }",
    "return(@P, @l)",
    "switch and(@v, 31) case 0 { endless(@k) } default { revert(@P, @l) }",
    "sstore(8, keccak256(@P, @l))",
];

/// Parts without a buffer.
const SHORT: [&str; 5] = [
    "mstore(0, @k) mstore(4, @v) revert(0, 0x24)",
    "mstore(0, @q) mstore(0x20, @k) revert(0, 0x40)",
    "panic(@k)",
    "sstore(@K, @k) mstore(0, @k) log1(0, 0x20, @k) mstore(4, @k) revert(0, 0x24)",
    "mstore(0, @k) mstore(0x20, @k) mstore(0, keccak256(0, 0x40)) mstore8(@K, @k) revert(0, 0x20)",
];

const OPERATIONS: [&str; 16] = [
    "add", "sub", "sub", "mul", "xor", "and", "or", "div", "gt", "lt", "slt", "shl", "shr", "sar", "byte",
    "mod",
];

/// What may stand in a hole, but for numbers and values.
fn choices(kind: char) -> &'static [&'static str] {
    match kind {
        'z' => &["0x80", "0x80", "0xa0", "0xc0"],
        'o' => &["0", "0x20", "0x40", "0x60", "0x1c", "0x24", "0x5f"],
        'l' => &["0x80", "0x64", "0x44", "0x40", "0x24", "0x20", "4", "0"],
        's' => &["mstore", "mstore", "mstore8"],
        'y' => &["sstore", "tstore"],
        'Y' => &["sload", "tload"],
        'K' => &["1", "2", "3", "4"],
        'n' => &["2", "3", "4", "1"],
        'g' => &["gt", "lt", "slt", "eq"],
        'f' => &["fail_a", "fail_b", "fail_c", "fail_a", "fail_b", "fail_d"],
        'e' => {
            &["caller()", "callvalue()", "calldatasize()", "returndatasize()", "address()", "selfbalance()"]
        }
        'c' => &[
            "call(100000, 0xe1, 0, @P, 0x40, @P, 0x20)",
            "call(100000, 0xe1, 0, @P, 0x40, 0, 0x20)",
            "staticcall(100000, 4, @P, 0x40, add(@P, 0x20), 0x20)",
            "staticcall(100000, 2, @P, 0x40, @P, 0x20)",
            "delegatecall(100000, 0xe1, @P, 0x40, @P, 0x20)",
            "call(300000, address(), 0, @P, 0x20, @P, 0x20)",
        ],
        _ => unreachable!("no hole `{kind}`"),
    }
}

enum Piece {
    Text(String),
    /// Its kind and the number from which it is filled.
    Hole(char, usize),
}

pub(super) struct Family {
    pieces: Vec<Piece>,
    end: Vec<Piece>,
    /// Constants that stand in several holes.
    numbers: [String; 2],
    has_buffer: bool,
    /// Where the part after the buffer begins.
    n_start: usize,
}

/// How much of a family differs at one place.
#[derive(Clone, Copy)]
enum Change {
    Nothing,
    Hole(usize),
    Numbers,
    OneNumber(usize),
    Some,
}

impl Generator<'_> {
    pub(super) fn family(&mut self) -> Family {
        let numbers = [self.number(), self.number()];
        if self.random.once_in(4) {
            let text = *self.random.pick(&SHORT);
            return Family {
                pieces: self.pieces(text),
                end: Vec::new(),
                numbers,
                has_buffer: false,
                n_start: 0,
            };
        }
        let start = self.random.below(STARTS.len());
        let n_steps = if start < N_ALLOCATING { STEPS.len() } else { N_QUIET };
        let mut pieces = self.pieces(STARTS[start]);
        let n_start = pieces.len();
        for _ in 0..self.random.below(6) {
            let step = STEPS[self.random.below(n_steps)];
            let inner = self.any_end(start < N_ALLOCATING);
            pieces.push(Piece::Text("\n".to_owned()));
            pieces.extend(self.pieces(&step.replace("@E", inner)));
        }
        let end = self.any_end(start < N_ALLOCATING);
        let end = self.pieces(&format!("\n{end}"));
        Family { pieces, end, numbers, has_buffer: true, n_start }
    }

    /// `fail_text` and `fail_far` load the pointer, so they find buffers that are allocated only.
    fn any_end(&mut self, is_allocated: bool) -> &'static str {
        loop {
            let end = *self.random.pick(&ENDS);
            let loads = end.contains("fail_text") || end.contains("fail_far");
            if is_allocated || !loads {
                return end;
            }
        }
    }

    fn pieces(&mut self, template: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut rest = template;
        while let Some((before, behind)) = rest.split_once('@') {
            let kind = behind.chars().next().expect("a hole has a kind");
            pieces.push(Piece::Text(before.to_owned()));
            // Few numbers, so that holes hold the same.
            pieces.push(Piece::Hole(kind, self.random.below(32)));
            rest = &behind[1..];
        }
        pieces.push(Piece::Text(rest.to_owned()));
        pieces
    }

    /// A failing part for this place, its buffer allocated before, maybe.
    pub(super) fn failing(&mut self, buffer: Option<&str>) -> String {
        let index = self.random.below(self.families.len());
        self.failing_of(index, buffer)
    }

    /// The same, of one family.
    pub(super) fn failing_of(&mut self, index: usize, buffer: Option<&str>) -> String {
        let family = std::mem::replace(
            &mut self.families[index],
            Family {
                pieces: vec![],
                end: vec![],
                numbers: [String::new(), String::new()],
                has_buffer: false,
                n_start: 0,
            },
        );
        let n_holes =
            family.pieces.iter().chain(&family.end).filter(|piece| matches!(piece, Piece::Hole(..))).count();
        let change = match self.random.below(8) {
            0 => Change::Nothing,
            1 | 2 => Change::Hole(self.random.below(n_holes)),
            3 => Change::Numbers,
            4 | 5 => Change::OneNumber(self.random.below(2)),
            _ => Change::Some,
        };
        let other = self.number();
        let pointer = self.fresh("p");
        let names = [pointer.clone(), self.fresh("i"), self.fresh("q")];
        let mut text = String::new();
        let mut hole = 0;
        for (at, piece) in family.pieces.iter().chain(&family.end).enumerate() {
            let is_start = family.has_buffer && at < family.n_start && buffer.is_some();
            let is_end = at >= family.pieces.len();
            let filled = match piece {
                Piece::Text(part) => part.clone(),
                Piece::Hole(kind, base) => {
                    let differs = match change {
                        Change::Nothing => false,
                        Change::Hole(only) => only == hole,
                        Change::Numbers => *kind == 'k',
                        Change::OneNumber(_) => false,
                        Change::Some => self.random.once_in(4),
                    };
                    hole += 1;
                    let replaced = match change {
                        Change::OneNumber(number) if *kind == 'k' && base % 2 == number => {
                            Some(other.clone())
                        }
                        _ => None,
                    };
                    replaced.unwrap_or_else(|| self.filled(*kind, *base, differs, &family.numbers, &names))
                }
            };
            if !(is_start || is_end && self.looks && family.has_buffer) {
                text += &filled;
            }
        }
        if self.looks && family.has_buffer {
            let end = *self.random.pick(&[
                "mstore(@P, mload(64)) revert(@P, 0x80)",
                "log1(@P, 0x40, mload(64)) revert(@P, 0x80)",
                "revert(@P, 0x80)",
                "panic(1)",
            ]);
            text += &end.replace("@P", &pointer);
        }
        let text = match buffer {
            Some(buffer) if family.has_buffer => format!("let {pointer} := {buffer}\n{text}"),
            Some(buffer) => format!("mstore(0x20, keccak256({buffer}, 0x80)) sstore(9, mload(0x20))\n{text}"),
            None => text,
        };
        self.families[index] = family;
        format!("{{ {text} }}")
    }

    fn filled(
        &mut self,
        kind: char,
        base: usize,
        differs: bool,
        numbers: &[String; 2],
        names: &[String; 3],
    ) -> String {
        let base = if differs { self.random.below(32) } else { base };
        match kind {
            'P' => names[0].clone(),
            'I' => names[1].clone(),
            'Q' => names[2].clone(),
            'k' if differs => self.number(),
            'k' => numbers[base % 2].clone(),
            'v' if differs => self.value(),
            'v' => self.values[base % self.values.len()].clone(),
            'q' => {
                let value = self.values[base % self.values.len()].clone();
                let number = &numbers[base / 2 % 2];
                let operation = OPERATIONS[base % OPERATIONS.len()];
                match (base / 16 == 0, differs && self.random.once_in(2)) {
                    (true, false) | (false, true) => format!("{operation}({value}, {number})"),
                    _ => format!("{operation}({number}, {value})"),
                }
            }
            'C' if differs => self.any_call(),
            'C' => self.nested_check(base, &numbers[base % 2], &names[0]),
            _ => {
                let choices = choices(kind);
                choices[base % choices.len()].replace("@P", &names[0])
            }
        }
    }
}
