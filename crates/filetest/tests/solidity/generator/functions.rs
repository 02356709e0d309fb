//! Functions: heads, parameters, bodies.

use super::scope::{Arithmetic, Assembly, Effects, Function, Reach, Variable, Writer};
use super::types::{Place, Type, WORD};

/// What a function is like that is to be written.
pub(crate) struct Head<'a> {
    /// Put before its name where it is called.
    pub(crate) prefix: &'a str,
    pub(crate) reach: Reach,
    pub(crate) effects: Effects,
    pub(crate) level: usize,
    /// Places that parameters of reference types may lie in.
    pub(crate) places: &'a [Place],
    /// Between the parameters and the results.
    pub(crate) words: &'a str,
    pub(crate) statements: usize,
}

impl Writer {
    /// Writes a function and remembers it; its name and parameters.
    pub(crate) fn function(&mut self, head: &Head<'_>) -> Function {
        let name = self.name("fn");
        let count = *self.random.pick(&[1, 1, 2, 2, 3]);
        let mut params = Vec::new();
        for _ in 0..count {
            let kind = match self.random.below(10) {
                0..=3 => WORD,
                4..=6 => self.names.value(&mut self.random),
                _ => self.names.any_reference(&mut self.random),
            };
            let place = if kind.is_value() { Place::Local } else { *self.random.pick(head.places) };
            let memory = (kind, if place == Place::Storage { Place::Memory } else { place });
            let stored = match place {
                // Storage is passed where there is some.
                Place::Storage => self.stored_type(),
                _ => None,
            };
            params.push(stored.map_or_else(|| memory, |kind| (kind, Place::Storage)));
        }
        let results = match self.random.below(10) {
            0 => vec![],
            1..=4 => vec![self.names.value(&mut self.random)],
            5 => vec![WORD],
            6 | 7 => vec![self.names.any_reference(&mut self.random)],
            _ => vec![self.names.value(&mut self.random), self.names.any_reference(&mut self.random)],
        };
        let function = Function {
            name: format!("{}{name}", head.prefix),
            params,
            results,
            reach: head.reach,
            level: head.level,
            effects: head.effects,
        };
        self.body(&name, &function, head);
        self.functions.push(function.clone());
        function
    }

    /// A reference type that some state variable has, no mapping.
    fn stored_type(&mut self) -> Option<Type> {
        let is_stored = |variable: &&Variable| {
            let kind = &variable.kind;
            variable.place == Place::Storage && !kind.is_value() && !matches!(kind, Type::Mapping(..))
        };
        let kinds: Vec<Type> =
            self.scope.iter().filter(is_stored).map(|variable| variable.kind.clone()).collect();
        if kinds.is_empty() { None } else { Some(self.random.pick(&kinds).clone()) }
    }

    fn body(&mut self, name: &str, function: &Function, head: &Head<'_>) {
        let known = self.scope.len();
        (self.level, self.effects) = (head.level, head.effects);
        self.results = function.results.clone();
        let mut params = Vec::new();
        for (kind, place) in &function.params {
            let name = self.name(if *place == Place::Storage { "q" } else { "a" });
            params.push(format!("{} {name}", kind.placed(*place)));
            self.declare(&name, kind.clone(), *place);
        }
        let mut returned = Vec::new();
        for kind in &function.results {
            let name = self.name("r");
            let place = if kind.is_value() { Place::Local } else { Place::Memory };
            returned.push(format!("{} {name}", kind.placed(place)));
            self.declare(&name, kind.clone(), place);
        }
        let returns = match returned.is_empty() {
            true => String::new(),
            false => format!(" returns ({})", returned.join(", ")),
        };
        let mutability = match head.effects {
            Effects::None => " pure",
            Effects::Reads => " view",
            Effects::All => "",
        };
        let modifier = self.modifier(head);
        self.line(format!(
            "function {name}({}){}{mutability}{modifier}{returns} {{",
            params.join(", "),
            head.words
        ));
        self.statements(head.statements);
        self.line("}");
        self.scope.truncate(known);
    }

    /// The body of a function, all of it unchecked now and then.
    pub(crate) fn statements(&mut self, count: usize) {
        let unchecked = self.chance(45);
        if unchecked {
            self.line("unchecked {");
            self.arithmetic = Arithmetic::Unchecked;
        }
        let count = self.random.between(count.div_ceil(2), count);
        self.block(count, 2);
        if unchecked {
            self.line("}");
            self.arithmetic = Arithmetic::Checked;
        }
        if self.chance(60) {
            self.give_back();
        }
    }

    /// A modifier of [`super::contracts`], where there are some.
    fn modifier(&mut self, head: &Head<'_>) -> String {
        if head.level < 3 || head.effects != Effects::All || self.chance(60) {
            return String::new();
        }
        let (word, condition) = (self.leaf(&WORD), self.leaf(&Type::Bool));
        let all = [
            format!(" counted({word} % 9)"),
            format!(" twice({condition})"),
            format!(" gate({word})"),
            format!(" counted(2) gate({word} % 99)"),
        ];
        self.random.pick(&all).clone()
    }

    /// Free functions, and two libraries.
    pub(crate) fn libraries(&mut self) {
        // Memory that is not Solidity's is no business of theirs.
        let assembly = std::mem::replace(&mut self.assembly, Assembly::Safe);
        let free = Head {
            prefix: "",
            reach: Reach::Internal,
            effects: Effects::None,
            level: 1,
            places: &[Place::Memory],
            words: "",
            statements: 3,
        };
        if self.chance(50) {
            self.function(&free);
        }
        self.line("library L0 {");
        if self.chance(60) {
            self.function(&Head { prefix: "L0.", words: " internal", ..free });
        }
        self.line("}");
        self.line("library Ext {");
        match self.random.below(5) {
            0 => drop(self.function(&Head { prefix: "Ext.", words: " public", ..free })),
            1 => drop(self.function(&Head {
                prefix: "Ext.",
                words: " external",
                places: &[Place::Calldata],
                ..free
            })),
            _ => {}
        }
        self.line("}");
        self.assembly = assembly;
    }
}
