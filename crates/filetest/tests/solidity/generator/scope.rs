//! What is in scope while a program is written, and paths from variables to parts of them.

use super::types::{Names, Place, Type, WORD};
use crate::random::Random;
use cairn_evm::Fork;

#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) kind: Type,
    pub(crate) place: Place,
}

/// A function that may be called.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) params: Vec<(Type, Place)>,
    pub(crate) results: Vec<Type>,
    pub(crate) reach: Reach,
    /// Functions call those of lower levels only, so that every program ends.
    pub(crate) level: usize,
    pub(crate) effects: Effects,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    Internal,
    Public,
    External,
}

/// Whether code may change the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effects {
    None,
    Reads,
    All,
}

/// What overflows do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Checked,
    Unchecked,
}

/// Whether assembly says that it keeps to Solidity's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Assembly {
    Safe,
    Unsafe,
}

/// A program that is being written.
pub(crate) struct Writer {
    pub(crate) random: Random,
    pub(crate) fork: Fork,
    pub(crate) names: Names,
    pub(crate) lines: Vec<String>,
    pub(crate) scope: Vec<Variable>,
    pub(crate) functions: Vec<Function>,
    pub(crate) level: usize,
    pub(crate) effects: Effects,
    pub(crate) arithmetic: Arithmetic,
    pub(crate) assembly: Assembly,
    /// Types that a free function `fresh…` makes values of.
    pub(crate) fresh: Vec<Type>,
    /// Parameters of events and errors.
    pub(crate) events: Vec<Vec<Type>>,
    pub(crate) errors: Vec<Vec<Type>>,
    /// What `return` gives back where a statement stands.
    pub(crate) results: Vec<Type>,
    /// Functions that can be called from outside, with the types of their parameters.
    pub(crate) entries: Vec<(String, Vec<Type>)>,
    /// What functions named `unpack_…` decode.
    pub(crate) unpacked: Vec<Type>,
    /// Loops around the statement.
    pub(crate) loops: usize,
    names_given: usize,
}

impl Writer {
    pub(crate) fn new(mut random: Random, fork: Fork) -> Writer {
        let names = Names::new(&mut random);
        let assembly = if random.once_in(4) { Assembly::Unsafe } else { Assembly::Safe };
        Writer {
            random,
            fork,
            names,
            lines: vec![],
            scope: vec![],
            functions: vec![],
            level: 0,
            effects: Effects::None,
            arithmetic: Arithmetic::Checked,
            assembly,
            fresh: vec![],
            events: vec![],
            errors: vec![],
            results: vec![],
            entries: vec![],
            unpacked: vec![],
            loops: 0,
            names_given: 0,
        }
    }

    pub(crate) fn line(&mut self, text: impl Into<String>) {
        self.lines.push(text.into());
    }

    /// A new name that begins with `stem`.
    pub(crate) fn name(&mut self, stem: &str) -> String {
        self.names_given += 1;
        format!("{stem}{}", self.names_given)
    }

    pub(crate) fn declare(&mut self, name: &str, kind: Type, place: Place) {
        self.scope.push(Variable { name: name.into(), kind, place });
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    /// Functions that may be called here and that suit.
    pub(crate) fn callable(&self, suits: impl Fn(&Function) -> bool) -> Vec<Function> {
        let is_callable = |function: &&Function| {
            function.level < self.level
                && function.effects <= self.effects
                && (function.reach != Reach::External || self.level > 2)
                && suits(function)
        };
        self.functions.iter().filter(is_callable).cloned().collect()
    }

    /// A path from a variable to a part that is wanted, if there is one.
    pub(crate) fn path(&mut self, wanted: impl Fn(&Type, Place) -> bool) -> Option<Path> {
        for _ in 0..12 {
            if self.scope.is_empty() {
                return None;
            }
            // What was declared last is used most.
            let recent = self.scope.len().min(8);
            let index = match self.random.below(2) {
                0 => self.scope.len() - 1 - self.random.below(recent),
                _ => self.random.below(self.scope.len()),
            };
            let Variable { name, kind, place } = self.scope[index].clone();
            let reads_state = matches!(place, Place::Storage | Place::Immutable);
            if reads_state && self.effects == Effects::None {
                continue;
            }
            let start = Path { text: name, kind, place, conditions: vec![] };
            if let Some(found) = self.descend(start, &wanted) {
                return Some(found);
            }
        }
        None
    }

    fn descend(&mut self, mut path: Path, wanted: &impl Fn(&Type, Place) -> bool) -> Option<Path> {
        for _ in 0..5 {
            if wanted(&path.kind, path.place) && (path.kind.is_value() || self.chance(70)) {
                return Some(path);
            }
            path = self.part(path)?;
        }
        None
    }

    /// One step down.
    fn part(&mut self, path: Path) -> Option<Path> {
        let Path { text, kind, place, mut conditions } = path;
        let (text, kind) = match kind {
            Type::Struct(index) => {
                let members = &self.names.structs[index];
                let member = self.random.below(members.len());
                (format!("{text}.m{member}"), members[member].clone())
            }
            Type::Fixed(element, length) => {
                let index = self.index(length);
                (format!("{text}[{index}]"), *element)
            }
            Type::Array(element) => {
                let index = self.index(3);
                conditions.push(format!("{text}.length > {index}"));
                (format!("{text}[{index}]"), *element)
            }
            Type::Bytes => {
                let index = self.index(33);
                conditions.push(format!("{text}.length > {index}"));
                (format!("{text}[{index}]"), Type::FixedBytes(1))
            }
            Type::Mapping(key, value) => {
                let key = self.key(&key);
                (format!("{text}[{key}]"), *value)
            }
            _ => return None,
        };
        // Parts of what can't be changed can't be, and the others are as what they are part of.
        Some(Path { text, kind, place, conditions })
    }

    fn index(&mut self, length: u64) -> String {
        let plain = self.random.below(length as usize).to_string();
        if !self.chance(35) {
            return plain;
        }
        let words = |variable: &&Variable| {
            variable.kind == WORD && matches!(variable.place, Place::Local | Place::Constant)
        };
        let known: Vec<String> =
            self.scope.iter().filter(words).map(|variable| variable.name.clone()).collect();
        match known.last() {
            Some(_) => format!("({} % {length})", self.random.pick(&known).clone()),
            None => plain,
        }
    }

    fn key(&mut self, key: &Type) -> String {
        match key {
            Type::String => ["\"a\"", "\"\"", "\"a key that is longer than thirty-one bytes are\""]
                [self.random.below(3)]
            .into(),
            Type::Bytes => ["hex\"00\"", "hex\"\"", "hex\"a0b0c0\""][self.random.below(3)].into(),
            value => {
                let is_local =
                    |variable: &&Variable| variable.kind.is_value() && variable.place == Place::Local;
                let known: Vec<Variable> = self.scope.iter().filter(is_local).cloned().collect();
                if known.is_empty() || self.chance(40) {
                    return self.literal(value);
                }
                let variable = self.random.pick(&known).clone();
                self.cast(&variable.name, &variable.kind, value)
            }
        }
    }
}

/// A way to a part of a variable.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub(crate) text: String,
    pub(crate) kind: Type,
    pub(crate) place: Place,
    /// What has to hold, or else the way ends in a panic.
    pub(crate) conditions: Vec<String>,
}

impl Path {
    /// Whether it may be assigned to.
    pub(crate) fn is_variable(place: Place) -> bool {
        matches!(place, Place::Local | Place::Memory | Place::Storage)
    }
}
