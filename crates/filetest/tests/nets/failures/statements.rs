//! Statements: branches, loops and what stands in them.

use super::Generator;
use crate::ways::{branch, choice, rounds, sequence};

impl Generator<'_> {
    pub(super) fn statements(&mut self, n: usize) -> String {
        sequence(self, n, |this| &mut this.left, Self::statement)
    }

    fn statement(&mut self) -> String {
        let is_deep = self.depth >= 2;
        match self.random.below(22) {
            0 if !is_deep => branch(&self.test(), &self.nested()),
            1 if !is_deep => choice(&self.test(), &self.nested(), &self.nested()),
            2 if !is_deep => rounds(&self.fresh("i"), self.random.between(1, 3), &self.nested()),
            3..9 => self.one_way(),
            9..13 => self.any_call(),
            13..16 => {
                let (test, part) = (self.rare_test(), self.failing(None));
                format!("if {test} {{ {part} }}")
            }
            16 => self.alike(),
            17 => {
                let name = self.fresh("b");
                let text = self.filled_buffer(&name);
                self.buffers.push(name);
                text
            }
            18 if !self.buffers.is_empty() => {
                let buffer = self.random.pick(&self.buffers).clone();
                self.write(&buffer)
            }
            19 if !self.buffers.is_empty() => {
                let buffer = self.random.pick(&self.buffers).clone();
                let (test, part) = (self.rare_test(), self.failing(Some(&buffer)));
                format!("if {test} {{ {part} }}")
            }
            20 => self.message(),
            _ => format!("{} := {}", self.variable(), self.value()),
        }
    }

    fn nested(&mut self) -> String {
        self.depth += 1;
        let scope = self.buffers.len();
        let n = self.random.between(1, 3);
        let text = self.statements(n);
        self.buffers.truncate(scope);
        self.depth -= 1;
        text
    }

    /// Parts of one family, next to each other.
    fn alike(&mut self) -> String {
        let family = self.random.below(self.families.len());
        let (value, last) = (self.value(), self.variable());
        let mut text = format!("switch and({value}, 31)\n");
        for case in 0..self.random.between(2, 4) {
            text += &format!("case {case} {{ {} }}\n", self.failing_of(family, None));
        }
        text + &format!("default {{ {last} := add({last}, 3) }}")
    }

    /// Made in free memory before the branch, and used at once or not at all.
    fn message(&mut self) -> String {
        let (name, test, variable) = (self.fresh("m"), self.rare_test(), self.variable());
        let (one, other) = (self.value(), self.number());
        let end = *self.random.pick(&[
            "revert(#, 0x24)",
            "fail_a(#, 3)",
            "log1(#, 0x40, 5) revert(#, 0x40)",
            "log1(#, 0x40, 5) invalid()",
            "return(#, 0x40)",
            "sstore(3, keccak256(#, 0x40))",
        ]);
        let behind = match self.random.below(3) {
            0 => format!("{variable} := keccak256({name}, 0x40)"),
            1 => format!("mstore({name}, {variable}) {variable} := keccak256({name}, 0x40)"),
            _ => String::new(),
        };
        format!(
            "{{ let {name} := mload(64) mstore({name}, {other}) mstore(add({name}, 4), {one}) mstore(add({name}, 0x24), {variable})\n\
             if {test} {{ {} }}\n{behind} }}",
            end.replace('#', &name)
        )
    }
}
