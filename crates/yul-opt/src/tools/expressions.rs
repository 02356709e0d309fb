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

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Node {
    Number(Word),
    /// A literal that a builtin takes as it is written.
    Text(Box<[u8]>),
    Variable(YulName),
    Call(Callee, SmallVec<[Class; 4]>),
}

/// All numbers given out.
#[derive(Debug, Default)]
pub(crate) struct Classes {
    index: FxHashMap<Node, Class>,
}

impl Classes {
    fn number(&mut self, node: Node) -> Class {
        let next = Class(self.index.len() as u32);
        *self.index.entry(node).or_insert(next)
    }

    pub(crate) fn literal(&mut self, literal: &Literal) -> Class {
        self.word(literal.value)
    }

    /// A literal that a builtin takes as it is written.
    pub(crate) fn text(&mut self, literal: &Literal) -> Class {
        self.number(Node::Text(text_of(literal)))
    }

    pub(crate) fn word(&mut self, value: Word) -> Class {
        self.number(Node::Number(value))
    }

    pub(crate) fn variable(&mut self, name: YulName) -> Class {
        self.number(Node::Variable(name))
    }

    pub(crate) fn call(&mut self, callee: Callee, args: SmallVec<[Class; 4]>) -> Class {
        self.number(Node::Call(callee, args))
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
