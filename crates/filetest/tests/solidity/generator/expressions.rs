//! Expressions of value types.

use super::scope::{Arithmetic, Effects, Function, Reach, Writer};
use super::types::{Place, Type, WORD, width};
use cairn_evm::Fork;

impl Writer {
    /// An expression of a value type.
    pub(crate) fn value(&mut self, kind: &Type, depth: usize) -> String {
        if depth == 0 || self.chance(15) {
            return self.leaf(kind);
        }
        match self.random.below(12) {
            0 => self.leaf(kind),
            1 => {
                let condition = self.value(&Type::Bool, depth - 1);
                format!("({condition} ? {} : {})", self.value(kind, depth - 1), self.value(kind, depth - 1))
            }
            2 | 3 => self.call_of(kind, depth).unwrap_or_else(|| self.computed(kind, depth)),
            4 => self.converted(kind, depth),
            5 if self.effects != Effects::None && *kind != Type::External => self.decoded(kind, depth),
            6 if self.effects == Effects::All => {
                self.assignment_of(kind, depth).unwrap_or_else(|| self.leaf(kind))
            }
            _ => self.computed(kind, depth),
        }
    }

    /// A variable, a literal, something of the environment.
    pub(crate) fn leaf(&mut self, kind: &Type) -> String {
        if self.chance(70)
            && let Some(path) = self.path(|found, _| found == kind)
        {
            if path.conditions.is_empty() || self.chance(8) {
                return path.text;
            }
            return format!("({} ? {} : {})", path.conditions.join(" && "), path.text, self.literal(kind));
        }
        if self.chance(50)
            && let Some(path) = self.path(|found, _| found.is_value())
            && path.conditions.is_empty()
        {
            return self.cast(&path.text, &path.kind, kind);
        }
        if self.chance(30)
            && let Some(text) = self.environment(kind)
        {
            return text;
        }
        self.literal(kind)
    }

    fn environment(&mut self, kind: &Type) -> Option<String> {
        let choices: &[&str] = match (kind, self.effects) {
            (_, Effects::None) => return None,
            (Type::Address, _) => &["msg.sender", "address(this)", "tx.origin", "address(block.coinbase)"],
            (Type::FixedBytes(4), _) => &["msg.sig"],
            (Type::FixedBytes(32), _) => &["blockhash(block.number - 1)", "keccak256(msg.data)"],
            (Type::Uint(256), _) => &[
                "block.timestamp",
                "block.number",
                "block.chainid",
                "msg.data.length",
                "address(this).balance",
                "block.basefee",
                "tx.gasprice",
                "block.gaslimit",
                "block.prevrandao",
                "msg.sender.balance",
            ],
            _ => return None,
        };
        Some((*self.random.pick(choices)).into())
    }

    pub(crate) fn literal(&mut self, kind: &Type) -> String {
        match kind {
            Type::Uint(bits) => match self.random.below(10) {
                0 => format!("type(uint{bits}).max"),
                1 => format!("(type(uint{bits}).max - {})", self.random.between(1, 3)),
                2 => format!("uint{bits}({})", 1_u128 << (bits.min(&128) - 1)),
                3 => format!("uint{bits}({})", self.random.next() & low_bits((*bits).min(64))),
                _ => format!("uint{bits}({})", self.random.below(20)),
            },
            Type::Int(bits) => match self.random.below(10) {
                0 => format!("type(int{bits}).max"),
                1 => format!("type(int{bits}).min"),
                2 => format!("int{bits}(-1)"),
                3 => format!("int{bits}(-{})", self.random.between(1, 128)),
                4 => format!("int{bits}({})", self.random.next() & low_bits((*bits - 1).min(63))),
                _ => format!("int{bits}({})", self.random.below(20)),
            },
            Type::FixedBytes(size) => {
                let length = self.random.between(1, *size as usize);
                let pattern = self.random.next();
                let digits: String =
                    (0..length).map(|at| format!("{:02x}", (pattern >> (8 * (at % 8))) as u8)).collect();
                match self.random.below(4) {
                    0 => format!("bytes{size}(0)"),
                    1 => format!("bytes{size}(\"{}\")", &"abcdefgh"[..length.min(8)]),
                    _ => format!("bytes{size}(hex\"{digits}\")"),
                }
            }
            Type::Address => format!("address(uint160({}))", self.random.between(1, 0x2000)),
            Type::Bool => ["true", "false"][self.random.below(2)].into(),
            Type::Enum(index) => format!("E{index}.V{}", self.random.below(self.names.enums[*index])),
            Type::Wrapped(index) => {
                let inner = self.names.wrapped[*index].clone();
                format!("W{index}.wrap({})", self.literal(&inner))
            }
            // Free functions and libraries have no `this`.
            Type::External if self.level < 2 || self.effects == Effects::None => {
                let name = self.fresh_of(&Type::External);
                format!("{name}({})", self.random.below(40))
            }
            Type::External => ["this.hop", "this.skip"][self.random.below(2)].into(),
            _ => unreachable!("a value type"),
        }
    }

    /// An explicit conversion between value types, by as many steps as Solidity asks for.
    pub(crate) fn cast(&mut self, text: &str, from: &Type, to: &Type) -> String {
        use Type::{FixedBytes, Int, Uint};
        if from == to {
            return text.into();
        }
        match (from, to) {
            (Uint(_), Uint(_)) | (Int(_), Int(_)) | (FixedBytes(_), FixedBytes(_)) => {
                return format!("{}({text})", to.text());
            }
            (Uint(a), Int(b)) | (Int(a), Uint(b)) if a == b => return format!("{}({text})", to.text()),
            (Uint(a), FixedBytes(b)) | (FixedBytes(b), Uint(a)) if *a == 8 * b => {
                return format!("{}({text})", to.text());
            }
            _ => {}
        }
        let word = self.word_of(text, from);
        self.of_word(&word, to)
    }

    /// As `uint256`.
    pub(crate) fn word_of(&mut self, text: &str, from: &Type) -> String {
        match from {
            Type::Uint(256) => text.into(),
            Type::Uint(_) | Type::Enum(_) => format!("uint256({text})"),
            Type::Int(bits) => match self.random.below(2) {
                0 => format!("uint256(int256({text}))"),
                _ => format!("uint256(uint{bits}({text}))"),
            },
            Type::FixedBytes(size) => format!("uint256(uint{}({text}))", 8 * size),
            Type::Address => format!("uint256(uint160({text}))"),
            Type::Bool => format!("({text} ? uint256(1) : uint256(0))"),
            Type::Wrapped(index) => {
                let inner = self.names.wrapped[*index].clone();
                self.word_of(&format!("W{index}.unwrap({text})"), &inner)
            }
            Type::External => format!("uint256(uint32({text}.selector))"),
            _ => unreachable!("a value type"),
        }
    }

    /// Of a `uint256`.
    pub(crate) fn of_word(&mut self, word: &str, to: &Type) -> String {
        match to {
            Type::Uint(256) => word.into(),
            Type::Uint(bits) => format!("uint{bits}({word})"),
            Type::Int(bits) => format!("int{bits}(int256({word}))"),
            Type::FixedBytes(size) => format!("bytes{size}(uint{}({word}))", 8 * size),
            Type::Address => format!("address(uint160({word}))"),
            Type::Bool => format!("({word} % 2 == 1)"),
            // Now and then a number that no member has.
            Type::Enum(index) => {
                let count = if self.chance(93) { self.names.enums[*index] } else { 300 };
                format!("E{index}({word} % {count})")
            }
            Type::Wrapped(index) => {
                let inner = self.names.wrapped[*index].clone();
                format!("W{index}.wrap({})", self.of_word(word, &inner))
            }
            Type::External => {
                let name = self.fresh_of(&Type::External);
                format!("{name}({word})")
            }
            _ => unreachable!("a value type"),
        }
    }

    fn converted(&mut self, kind: &Type, depth: usize) -> String {
        let from = self.names.value(&mut self.random);
        let text = self.value(&from, depth - 1);
        self.cast(&text, &from, kind)
    }

    /// A call of a function with this result.
    fn call_of(&mut self, kind: &Type, depth: usize) -> Option<String> {
        let known = self.callable(|function| function.results == [kind.clone()]);
        if known.is_empty() || (self.loops > 1 && self.chance(80)) {
            return None;
        }
        let function = self.random.pick(&known).clone();
        Some(self.call(&function, depth - 1))
    }

    /// A call of a function.
    pub(crate) fn call(&mut self, function: &Function, depth: usize) -> String {
        let arguments: Vec<String> =
            function.params.iter().map(|(kind, place)| self.argument(kind, *place, depth)).collect();
        let from_outside = match function.reach {
            Reach::Internal => false,
            Reach::Public => self.level > 2 && self.chance(25),
            Reach::External => true,
        };
        // `using L0 for *;`
        if let Some(name) = function.name.strip_prefix("L0.")
            && !arguments.is_empty()
            && self.chance(60)
        {
            return format!("({}).{name}({})", arguments[0], arguments[1..].join(", "));
        }
        let this = if from_outside { "this." } else { "" };
        format!("{this}{}({})", function.name, arguments.join(", "))
    }

    /// An expression that can be passed to a parameter.
    pub(crate) fn argument(&mut self, kind: &Type, place: Place, depth: usize) -> String {
        if kind.is_value() {
            return self.value(kind, depth);
        }
        if matches!(place, Place::Storage | Place::Calldata)
            && let Some(path) = self.path(|found, at| found == kind && at == place)
        {
            return path.text;
        }
        let whole = self.scope.iter().find(|variable| variable.kind == *kind && variable.place == place);
        match whole {
            Some(variable) if place == Place::Storage => variable.name.clone(),
            _ => self.reference(kind, depth),
        }
    }

    /// Encoded and decoded again.
    fn decoded(&mut self, kind: &Type, depth: usize) -> String {
        let text = self.value(kind, depth - 1);
        let other = self.value(&WORD, 0);
        match self.random.below(2) {
            // It is payable, which is more than an address.
            0 if *kind == Type::Address => format!("address(abi.decode(abi.encode({text}), (address)))"),
            0 => format!("abi.decode(abi.encode({text}), ({}))", kind.text()),
            // As another type: dirty words revert.
            _ => {
                let unsigned = matches!(kind, Type::Uint(_) | Type::Address | Type::Bool | Type::Enum(_));
                let (bound, kind) = if unsigned { ("% 2", kind.text()) } else { ("* 0", kind.text()) };
                let decoded = format!("abi.decode(abi.encode(({other}) {bound}), ({kind}))");
                if kind == "address" { format!("address({decoded})") } else { decoded }
            }
        }
    }

    /// An assignment that stands in an expression.
    fn assignment_of(&mut self, kind: &Type, depth: usize) -> Option<String> {
        let wanted = |found: &Type, place: Place| found == kind && super::scope::Path::is_variable(place);
        let path = self.path(wanted).filter(|path| path.conditions.is_empty())?;
        if self.arithmetic == Arithmetic::Unchecked
            && matches!(kind, Type::Uint(_) | Type::Int(_))
            && self.chance(50)
        {
            let operator = self.random.pick(&["++", "--"]).to_string();
            return Some(if self.chance(50) {
                format!("{}{operator}", path.text)
            } else {
                format!("{operator}{}", path.text)
            });
        }
        Some(format!("({} = {})", path.text, self.value(kind, depth - 1)))
    }

    /// Whether the fork has transient storage, `mcopy` and blobs.
    pub(crate) fn has_cancun(&self) -> bool {
        self.fork >= Fork::Cancun
    }

    /// A narrower type of the same kind, or the same.
    pub(crate) fn narrower(&mut self, kind: &Type) -> Type {
        match kind {
            Type::Uint(bits) if self.chance(30) => Type::Uint(width(&mut self.random).min(*bits)),
            Type::Int(bits) if self.chance(30) => Type::Int(width(&mut self.random).min(*bits)),
            kind => kind.clone(),
        }
    }
}

fn low_bits(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
