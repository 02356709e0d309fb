//! Numbers for expressions: two expressions get the same number exactly when they are
//! syntactically equal. Literals are equal when their values are, however they are written.

use cairn_evm::Word;
use cairn_yul::{Argument, Callee, Expression, Literal, LiteralKind, YulName};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// True when the argument must be a literal.
pub(crate) fn takes_literal(callee: Callee, index: usize) -> bool {
    match callee {
        Callee::Builtin(builtin) => builtin.argument(index) != Argument::Value,
        Callee::User(_) => false,
    }
}

/// What a literal says, apart from how it is quoted.
pub(crate) fn text_of(literal: &Literal) -> Box<[u8]> {
    match (literal.kind, &literal.text) {
        (LiteralKind::String, Some(text)) => text.clone(),
        (LiteralKind::String, None) | (LiteralKind::Number | LiteralKind::Bool, _) => {
            literal.value.to_be_bytes::<32>().into()
        }
    }
}

/// The number of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Class(u32);

impl Class {
    /// Where expressions are not numbered.
    pub(crate) const NONE: Class = Class(0);
}

/// All numbers given out, from 1 on.
#[derive(Debug, Default)]
pub(crate) struct Classes {
    n_classes: u32,
    numbers: FxHashMap<Word, Class>,
    /// Literals that a builtin takes as they are written.
    texts: FxHashMap<Box<[u8]>, Class>,
    /// By name; [`Class::NONE`] for variables that have no number yet.
    variables: Vec<Class>,
    calls: FxHashMap<(Callee, SmallVec<[Class; 4]>), Class>,
}

/// Tables with room for more are made anew, because emptying one takes time for all its room.
const MAX_KEPT: usize = 256;

/// Empties a table that is emptied for every function.
pub(crate) fn empty<K, V>(table: &mut FxHashMap<K, V>) {
    if table.capacity() > MAX_KEPT {
        *table = FxHashMap::default();
    } else {
        table.clear();
    }
}

fn next(n_classes: &mut u32) -> Class {
    *n_classes += 1;
    Class(*n_classes)
}

impl Classes {
    /// Forgets what is of use only as long as a variable is in scope. Numbers are not given again.
    pub(crate) fn forget(&mut self) {
        empty(&mut self.numbers);
        empty(&mut self.texts);
        empty(&mut self.calls);
    }

    pub(crate) fn literal(&mut self, literal: &Literal) -> Class {
        self.word(literal.value)
    }

    /// A literal that a builtin takes as it is written.
    pub(crate) fn text(&mut self, literal: &Literal) -> Class {
        *self.texts.entry(text_of(literal)).or_insert_with(|| next(&mut self.n_classes))
    }

    pub(crate) fn word(&mut self, value: Word) -> Class {
        *self.numbers.entry(value).or_insert_with(|| next(&mut self.n_classes))
    }

    pub(crate) fn variable(&mut self, name: YulName) -> Class {
        let index = name.0 as usize;
        if index >= self.variables.len() {
            self.variables.resize(index + 1, Class::NONE);
        }
        let class = &mut self.variables[index];
        if *class == Class::NONE {
            *class = next(&mut self.n_classes);
        }
        *class
    }

    pub(crate) fn call(&mut self, callee: Callee, args: SmallVec<[Class; 4]>) -> Class {
        *self.calls.entry((callee, args)).or_insert_with(|| next(&mut self.n_classes))
    }

    fn argument(&mut self, callee: Callee, index: usize, argument: &Expression) -> Class {
        match argument {
            Expression::Literal(literal) if takes_literal(callee, index) => self.text(literal),
            _ => self.of(argument),
        }
    }

    /// The number of any expression.
    pub(crate) fn of(&mut self, expression: &Expression) -> Class {
        match expression {
            Expression::Literal(literal) => self.literal(literal),
            Expression::Identifier(identifier) => self.variable(identifier.name),
            Expression::Call(call) => {
                let args = call.args.iter().enumerate();
                let args =
                    args.map(|(index, argument)| self.argument(call.callee, index, argument)).collect();
                self.call(call.callee, args)
            }
        }
    }
}
