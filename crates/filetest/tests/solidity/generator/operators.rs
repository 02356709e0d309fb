//! Operators on words, bytes, conditions.

use super::scope::{Arithmetic, Effects, Writer};
use super::types::{Type, WORD, width};

impl Writer {
    /// What operators and builtin functions make of others.
    pub(crate) fn computed(&mut self, kind: &Type, depth: usize) -> String {
        match kind {
            Type::Uint(_) | Type::Int(_) => self.number(kind, depth),
            Type::FixedBytes(size) => self.fixed_bytes(*size, depth),
            Type::Bool => self.condition(depth),
            Type::Address if self.chance(20) => {
                let [hash, r, s] = [0; 3].map(|_| self.value(&Type::FixedBytes(32), depth - 1));
                format!("ecrecover({hash}, {}, {r}, {s})", self.random.between(26, 28))
            }
            Type::Wrapped(0) if self.chance(70) => {
                let [left, right] = [0; 2].map(|_| self.value(kind, depth - 1));
                let operator = self.random.pick(&["+", "-", "&"]).to_string();
                format!("({left} {operator} {right})")
            }
            kind => self.converted_word(kind, depth),
        }
    }

    fn converted_word(&mut self, kind: &Type, depth: usize) -> String {
        let word = self.value(&WORD, depth - 1);
        self.of_word(&word, kind)
    }

    fn number(&mut self, kind: &Type, depth: usize) -> String {
        let is_signed = matches!(kind, Type::Int(_));
        let left_type = self.narrower(kind);
        let left = self.value(&left_type, depth - 1);
        // Few overflows, where they fail.
        let mild = self.chance(80);
        // The left one of a shift or a power alone decides about the type.
        let whole_left = self.cast(&left, &left_type, kind);
        match self.random.below(20) {
            0..=4 => {
                let right_type = self.narrower(kind);
                let right = self.value(&right_type, depth - 1);
                let [left, right] = match self.arithmetic {
                    Arithmetic::Checked if mild => {
                        let (a, b) = (self.random.between(1, 7), self.random.between(1, 15));
                        [format!("({whole_left} / {a} % 12)"), format!("({right} % {b})")]
                    }
                    _ => [whole_left, right],
                };
                let operator = self.random.pick(&["+", "-", "*", "+"]).to_string();
                format!("({left} {operator} {right})")
            }
            5 | 6 => {
                let right = self.value(kind, depth - 1);
                let operator = self.random.pick(&["/", "%"]).to_string();
                let right = if self.chance(80) { format!("({right} | {}(1))", kind.text()) } else { right };
                format!("({whole_left} {operator} {right})")
            }
            7 => {
                let exponent = self.value(&Type::Uint(8), depth - 1);
                let base = match self.arithmetic {
                    Arithmetic::Checked if mild => format!("({whole_left} % 4)"),
                    _ => whole_left,
                };
                match self.random.below(2) {
                    0 => format!("({base} ** {})", self.random.between(0, 3)),
                    _ => format!("({base} ** ({exponent} % 4))"),
                }
            }
            8 if !is_signed => {
                let exponent = self.value(&Type::Uint(8), depth - 1);
                format!("({}({}) ** ({exponent} % 3))", kind.text(), self.random.between(0, 6))
            }
            9..=11 => {
                let amount_type = Type::Uint(width(&mut self.random));
                let amount = self.value(&amount_type, depth - 1);
                let operator = self.random.pick(&["<<", ">>", ">>"]).to_string();
                match self.random.below(3) {
                    0 => format!("({whole_left} {operator} {})", self.random.between(0, 40)),
                    1 => format!("({whole_left} {operator} ({amount} % 9))"),
                    _ => format!("({whole_left} {operator} {amount})"),
                }
            }
            12..=14 => {
                let right = self.value(kind, depth - 1);
                let operator = self.random.pick(&["&", "|", "^"]).to_string();
                format!("({whole_left} {operator} {right})")
            }
            15 => format!("(~{whole_left})"),
            16 if is_signed => match self.arithmetic {
                Arithmetic::Checked if mild => format!("(-({whole_left} / 2))"),
                _ => format!("(-{whole_left})"),
            },
            _ if *kind == WORD => self.word(&left, &left_type, depth),
            _ => self.value(kind, depth - 1),
        }
    }

    /// What only `uint256` has.
    fn word(&mut self, left: &str, left_type: &Type, depth: usize) -> String {
        let left = self.cast(left, left_type, &WORD);
        match self.random.below(5) {
            0 => {
                let (b, m) = (self.value(&WORD, depth - 1), self.value(&WORD, depth - 1));
                let name = self.random.pick(&["addmod", "mulmod"]).to_string();
                format!("{name}({left}, {b}, ({m} | 1))")
            }
            1 => {
                let wanted = |kind: &Type, _| matches!(kind, Type::Array(_) | Type::Bytes);
                match self.path(wanted) {
                    Some(path) if path.conditions.is_empty() => format!("{}.length", path.text),
                    _ => left,
                }
            }
            2 if self.effects != Effects::None => {
                let account = self.value(&Type::Address, depth - 1);
                format!("({account}).balance")
            }
            3 if self.effects != Effects::None => "(address(this).code.length > 0 ? 1 : 0)".into(),
            _ => left,
        }
    }

    fn fixed_bytes(&mut self, size: u32, depth: usize) -> String {
        let kind = Type::FixedBytes(size);
        match self.random.below(9) {
            0 | 1 => {
                let [left, right] = [0; 2].map(|_| self.value(&kind, depth - 1));
                let operator = self.random.pick(&["&", "|", "^"]).to_string();
                format!("({left} {operator} {right})")
            }
            2 => {
                let (left, amount) = (self.value(&kind, depth - 1), self.value(&Type::Uint(8), depth - 1));
                let operator = self.random.pick(&["<<", ">>"]).to_string();
                format!("({left} {operator} {amount})")
            }
            3 => format!("(~{})", self.value(&kind, depth - 1)),
            4 | 5 => {
                let data = self.reference(&Type::Bytes, depth - 1);
                let hash = self.random.pick(&["keccak256", "keccak256", "sha256"]).to_string();
                let hash = if self.effects == Effects::None { "keccak256".into() } else { hash };
                self.cast(&format!("{hash}({data})"), &Type::FixedBytes(32), &kind)
            }
            6 => {
                let other = *self.random.pick(&[1, 3, 8, 31, 32]);
                let text = self.value(&Type::FixedBytes(other), depth - 1);
                if size == 1 {
                    return format!("{text}[{}]", self.random.below(other as usize));
                }
                format!("bytes{size}({text})")
            }
            7 => {
                // Of bytes of any length: cut off, or filled with zeros.
                let data = self.reference(&Type::Bytes, depth - 1);
                format!("bytes{size}(bytes.concat({data}))")
            }
            _ => self.converted_word(&kind, depth),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        match self.random.below(12) {
            0 | 1 => {
                let [left, right] = [0; 2].map(|_| self.value(&Type::Bool, depth - 1));
                let operator = self.random.pick(&["&&", "||"]).to_string();
                format!("({left} {operator} {right})")
            }
            2 => format!("(!{})", self.value(&Type::Bool, depth - 1)),
            3 => {
                let [left, right] = [0; 2].map(|_| self.reference(&Type::Bytes, depth - 1));
                format!("(keccak256({left}) == keccak256({right}))")
            }
            4 | 5 => {
                let kind = self.names.value(&mut self.random);
                let (left, right) = (self.value(&kind, depth - 1), self.value(&kind, depth - 1));
                let operator = self.random.pick(&["==", "!="]).to_string();
                match kind {
                    Type::Wrapped(0) => format!("({left} == {right})"),
                    Type::Wrapped(index) => {
                        format!("(W{index}.unwrap({left}) {operator} W{index}.unwrap({right}))")
                    }
                    _ => format!("({left} {operator} {right})"),
                }
            }
            6 => {
                let [left, right] = [0; 2].map(|_| self.value(&Type::Wrapped(0), depth - 1));
                format!("({left} < {right})")
            }
            _ => {
                let kind = match self.random.below(8) {
                    0 => Type::FixedBytes(*self.random.pick(&[1, 4, 32])),
                    1 => Type::Address,
                    2 => Type::Enum(self.random.below(self.names.enums.len())),
                    3 | 4 => Type::Int(width(&mut self.random)),
                    _ => Type::Uint(width(&mut self.random)),
                };
                let (left, right) = (self.value(&kind, depth - 1), self.value(&kind, depth - 1));
                let operator = self.random.pick(&["<", ">", "<=", ">="]).to_string();
                format!("({left} {operator} {right})")
            }
        }
    }
}
