//! Expressions in words: operators between their operands, names for what is known.

mod opcode;

use super::bits::run_of_ones;
use super::facts::Facts;
use super::say::{Id, Name, Say};
use super::walk::Walk;
use crate::literal::spell;
use crate::names::word_of_opcode;
use crate::tree::{At, Callee, Var};
use cairn_evm::{Fork, Opcode, Word};
use cairn_ir::builder::opcode_result_type;
use cairn_ir::{Func, Module, Type};
use cairn_yul::{Builtin, LiteralKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Ones in a row from which on a number is written by where they stand.
const MIN_ONES: usize = 24;

/// Expressions within expressions.
const MAX_DEPTH: usize = 40;

/// Writes the expressions of one function.
pub(super) struct Words<'a> {
    pub(super) facts: &'a Facts,
    pub(super) fork: Fork,
    pub(super) module: &'a Module,
    /// What variables are that have one value.
    pub(super) values: &'a FxHashMap<Name, Say>,
    /// Those of them that may stand wherever the variable does.
    pub(super) lasting: &'a FxHashMap<Name, Say>,
    /// Stores of words that were made of what storage held before another store.
    pub(super) stale: &'a FxHashSet<u32>,
    names: FxHashMap<Name, String>,
    numbers: FxHashMap<String, u32>,
    params: FxHashSet<Var>,
    /// Functions that only fail.
    pub(super) failing: &'a FxHashSet<Func>,
    /// Types of the arguments, in an external function.
    pub(super) types: &'a [String],
    /// Words of what calls give back that something reads, by the number of the call.
    pub(super) returned: FxHashSet<u32>,
    /// What is to be said behind the line.
    pub(super) remarks: Vec<String>,
    depth: usize,
}

impl<'a> Words<'a> {
    /// For the lines of a function that was told, with its parameters.
    pub(super) fn new(
        (facts, fork, module): (&'a Facts, Fork, &'a Module),
        walk: &'a Walk<'_>,
        params: &[Var],
        failing: &'a FxHashSet<Func>,
    ) -> Words<'a> {
        Words {
            facts,
            fork,
            module,
            values: &walk.values,
            lasting: &walk.lasting,
            stale: &walk.stale,
            names: FxHashMap::default(),
            numbers: FxHashMap::default(),
            params: params.iter().copied().collect(),
            failing,
            types: &[],
            returned: FxHashSet::default(),
            remarks: Vec::new(),
            depth: 0,
        }
    }

    /// The name of a variable: a new one when it is met for the first time.
    pub(super) fn name(&mut self, name: Name) -> String {
        if let Some(known) = self.names.get(&name) {
            return known.clone();
        }
        let word = self.word_for(name);
        let number = self.numbers.entry(word.clone()).or_insert(0);
        *number += 1;
        let text = format!("{word}{number}");
        self.names.insert(name, text.clone());
        text
    }

    /// The name of a parameter.
    pub(super) fn param(&mut self, var: Var) -> String {
        self.name(Name { frame: 0, id: Id::Var(var) })
    }

    fn word_for(&self, name: Name) -> String {
        if let Name { frame: 0, id: Id::Var(var) } = name {
            if self.params.contains(&var) {
                return "p".to_owned();
            }
            match var {
                Var::Result(_) => return "r".to_owned(),
                Var::State(_) => return "state".to_owned(),
                Var::Exit => return "exit".to_owned(),
                Var::Value(_) | Var::Copy(..) | Var::Spare(_) => {}
            }
        }
        let word = match self.values.get(&name) {
            Some(Say::Effect(effect, _)) if matches!(**effect, super::say::Effect::Message { .. }) => "ok",
            Some(Say::Hash(_)) => "hash",
            Some(say) => say.as_evm().map_or("v", |(opcode, args)| {
                word_of_opcode(opcode, args.first().and_then(Say::as_number)).unwrap_or("v")
            }),
            None => "x",
        };
        word.to_owned()
    }

    /// The name of an internal function.
    pub(super) fn function(&self, func: Func) -> &'a str {
        &self.module.funcs[func].name
    }

    /// An expression that stands alone.
    pub(super) fn text(&mut self, say: &Say) -> String {
        self.write(say, Stands::Alone)
    }

    /// An expression that is a part of another one.
    pub(super) fn atom(&mut self, say: &Say) -> String {
        self.write(say, Stands::Within)
    }

    fn write(&mut self, say: &Say, stands: Stands) -> String {
        if self.depth > MAX_DEPTH {
            return "…".to_owned();
        }
        self.depth += 1;
        let text = match say {
            Say::Number(word) => self.number(*word),
            Say::Text(text) => format!("\"{text}\""),
            Say::Name(name) => self.name(*name),
            Say::Free(number) => format!("free{number}"),
            Say::Returned(call, word) => format!("ret{call}[{word}]"),
            Say::Bytes(source, region) => match region.as_slice() {
                [from, bytes] => self.bytes(*source, from, bytes),
                _ => String::new(),
            },
            Say::Hash(parts) => format!("keccak({})", self.list(parts)),
            Say::Effect(effect, _) => self.effect(effect),
            Say::Call(Callee::Builtin(Builtin::Evm(opcode)), args, at) => {
                self.opcode(*opcode, args, *at, stands)
            }
            Say::Call(Callee::Builtin(builtin), args, _) => {
                format!("{}({})", name_of(*builtin), self.list(args))
            }
            Say::Call(Callee::Func(func), args, _) => {
                format!("{}({})", self.function(*func), self.list(args))
            }
            Say::Call(Callee::Min, args, _) => format!("min({})", self.list(args)),
        };
        self.depth -= 1;
        text
    }

    pub(super) fn list(&mut self, says: &[Say]) -> String {
        says.iter().map(|say| self.text(say)).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn number(&mut self, word: Word) -> String {
        if let Some(note) = self.facts.notes.of_number(word) {
            let note = note.to_owned();
            self.remark(note);
        }
        if let (LiteralKind::String, text) = spell(word) {
            return format!("\"{}\"", String::from_utf8_lossy(&text));
        }
        let is_large = word > Word::from(u64::MAX);
        let ones = |word: Word| run_of_ones(word).filter(|(low, high)| is_large && high - low >= MIN_ONES);
        match (ones(word), ones(!word)) {
            (Some((0, 256)), _) => "max".to_owned(),
            (Some((0, high)), _) => format!("max{high}"),
            (Some((low, high)), _) => format!("bits({low}..{high})"),
            (_, Some((0, high))) => format!("~max{high}"),
            (_, Some((low, high))) => format!("~bits({low}..{high})"),
            _ if is_large && word.count_ones() == 1 => format!("2**{}", word.trailing_zeros()),
            _ => String::from_utf8_lossy(&spell(word).1).into_owned(),
        }
    }

    pub(super) fn remark(&mut self, text: String) {
        if !self.remarks.contains(&text) {
            self.remarks.push(text);
        }
    }

    /// True for what has the type anyhow.
    fn has_type(&self, say: &Say, text: &str, ty: &str) -> bool {
        let is_address =
            |opcode| matches!(opcode, Opcode::CALLER | Opcode::ADDRESS | Opcode::ORIGIN | Opcode::COINBASE);
        let own = say.as_evm().is_some_and(|(opcode, _)| ty == "address" && is_address(opcode));
        let argument = text.strip_prefix("arg").and_then(|number| number.parse::<usize>().ok());
        own || (text == "selector" && ty == "uint32")
            || argument.is_some_and(|place| self.types.get(place).is_some_and(|known| known == ty))
    }

    /// What must hold, as a test.
    pub(super) fn condition(&mut self, say: &Say) -> String {
        let text = self.text(say);
        match say {
            Say::Call(..) if !is_truth(say) => {
                let text = self.atom(say);
                format!("{text} != 0")
            }
            _ => text,
        }
    }

    fn infix(&mut self, sign: &str, a: &Say, b: &Say, stands: Stands) -> String {
        let (mut left, mut right) = (self.atom(a), self.atom(b));
        if left == right && a != b {
            // What makes the difference is that one of them is cut.
            let types = std::mem::take(&mut self.types);
            (left, right) = (self.atom(a), self.atom(b));
            self.types = types;
        }
        let (a, b) = (left, right);
        self.around(format!("{a} {sign} {b}"), stands)
    }

    fn around(&self, text: String, stands: Stands) -> String {
        match stands {
            Stands::Alone => text,
            Stands::Within => format!("({text})"),
        }
    }

    /// What storage holds in a place.
    pub(super) fn access(&mut self, space: &str, place: &Say, at: At) -> String {
        let text = self.place(place);
        if text.as_ref().is_none_or(|text| text.starts_with("storage["))
            && let At(Some(pc)) = at
            && let Some(note) = self.facts.places.get(&pc)
        {
            let note = note.clone();
            self.remark(note);
        }
        let text = text.unwrap_or_else(|| format!("storage[{}]", self.text(place)));
        format!("{space}{text}")
    }

    /// A part of a loaded word from so many bits on.
    fn field(&mut self, shift: Option<u64>, say: &Say) -> Option<String> {
        let shift = shift.filter(|shift| shift % 8 == 0 && *shift < 256)?;
        let value = match say {
            // It was loaded before, and storage may hold something else now.
            Say::Name(name) => {
                self.values.get(name).filter(|value| value.args_of(Opcode::SLOAD).is_some())?;
                let name = self.name(*name);
                return Some(format!("{name}:{}", shift / 8));
            }
            _ => say,
        };
        let (Opcode::SLOAD, [place]) = value.as_evm()? else { return None };
        let at = match value {
            Say::Call(_, _, at) => *at,
            _ => At(None),
        };
        let text = self.access("", place, at);
        Some(format!("{text}:{}", shift / 8))
    }
}

/// Where an expression stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stands {
    Alone,
    Within,
}

/// True for what is zero or one.
fn is_truth(say: &Say) -> bool {
    match say.as_evm() {
        Some((Opcode::AND | Opcode::OR, args)) => args.iter().all(is_truth),
        Some((opcode, _)) => opcode_result_type(opcode) == Type::Bool,
        None => false,
    }
}

fn name_of(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::DataOffset => "offset_of",
        Builtin::DataSize => "size_of",
        Builtin::DataCopy => "copy_data",
        Builtin::LoadImmutable => "immutable",
        Builtin::SetImmutable => "set_immutable",
        Builtin::LinkerSymbol => "library",
        _ => "builtin",
    }
}
