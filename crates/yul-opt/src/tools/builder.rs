//! Makes new pieces of syntax.
//!
//! Everything made for a place gets that place's source location, so that debug comments stay right.

use cairn_evm::{Opcode, Word};
use cairn_yul::{
    Arguments, Assignment, Block, Builtin, Callee, Expression, FunctionCall, Identifier, Identifiers, If,
    Literal, LiteralKind, Span, SrcRef, Statement, VariableDeclaration, YulName,
};
use smallvec::smallvec;

/// A place in the Yul text and its source location.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub(crate) span: Span,
    pub(crate) src: SrcRef,
}

impl Place {
    pub(crate) fn of(expression: &Expression) -> Place {
        match expression {
            Expression::Literal(literal) => Place { span: literal.span, src: literal.src },
            Expression::Identifier(identifier) => Place { span: identifier.span, src: identifier.src },
            Expression::Call(call) => Place { span: call.span, src: call.src },
        }
    }

    pub(crate) fn of_identifier(identifier: &Identifier) -> Place {
        Place { span: identifier.span, src: identifier.src }
    }

    pub(crate) fn of_block(block: &Block) -> Place {
        Place { span: block.span, src: block.src }
    }
}

/// The place of a statement.
pub(crate) fn place_of(statement: &Statement) -> Place {
    let (span, src) = match statement {
        Statement::Expression(_, span, src)
        | Statement::Break(span, src)
        | Statement::Continue(span, src)
        | Statement::Leave(span, src) => (*span, *src),
        Statement::Let(declaration) => (declaration.span, declaration.src),
        Statement::Assign(assignment) => (assignment.span, assignment.src),
        Statement::If(branch) => (branch.span, branch.src),
        Statement::Switch(switch) => (switch.span, switch.src),
        Statement::For(the_loop) => (the_loop.span, the_loop.src),
        Statement::Function(function) => (function.span, function.src),
        Statement::Block(block) => (block.span, block.src),
    };
    Place { span, src }
}

pub(crate) fn identifier(name: YulName, place: Place) -> Identifier {
    Identifier { name, span: place.span, src: place.src }
}

pub(crate) fn variable(name: YulName, place: Place) -> Expression {
    Expression::Identifier(identifier(name, place))
}

/// Numbers above this are written in hexadecimal.
const MAX_DECIMAL: u64 = 0x0100_0000;

/// A number, written in hexadecimal with whole bytes when it is large.
pub(crate) fn number(value: Word, place: Place) -> Expression {
    Expression::Literal(Box::new(number_literal(value, place)))
}

pub(crate) fn number_literal(value: Word, place: Place) -> Literal {
    let text = (value > Word::from(MAX_DECIMAL)).then(|| hexadecimal(value, 1).into_bytes().into());
    Literal { kind: LiteralKind::Number, value, text, span: place.span, src: place.src }
}

/// `0x` and the bytes of a number, at least `min_bytes`.
pub(crate) fn hexadecimal(value: Word, min_bytes: usize) -> String {
    let bytes: [u8; 32] = value.to_be_bytes();
    let first = bytes.iter().position(|byte| *byte != 0).unwrap_or(32).min(32 - min_bytes);
    let digits: String = bytes[first..].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}

/// A number that is always written in decimal.
pub(crate) fn decimal(value: Word, place: Place) -> Expression {
    let literal = Literal { kind: LiteralKind::Number, value, text: None, span: place.span, src: place.src };
    Expression::Literal(Box::new(literal))
}

/// `true`.
pub(crate) fn truth(place: Place) -> Expression {
    Expression::Literal(Box::new(Literal {
        kind: LiteralKind::Bool,
        value: Word::from(1),
        text: None,
        span: place.span,
        src: place.src,
    }))
}

pub(crate) fn call(opcode: Opcode, args: Arguments, place: Place) -> Expression {
    call_of(Callee::Builtin(Builtin::Evm(opcode)), args, place)
}

pub(crate) fn call_of(callee: Callee, args: Arguments, place: Place) -> Expression {
    Expression::Call(Box::new(FunctionCall { callee, args, span: place.span, src: place.src }))
}

pub(crate) fn declare(name: YulName, value: Option<Expression>, place: Place) -> Statement {
    declare_all(smallvec![identifier(name, place)], value, place)
}

pub(crate) fn declare_all(variables: Identifiers, value: Option<Expression>, place: Place) -> Statement {
    Statement::Let(VariableDeclaration { variables, value, span: place.span, src: place.src })
}

pub(crate) fn assign(name: YulName, value: Expression, place: Place) -> Statement {
    let targets = smallvec![identifier(name, place)];
    Statement::Assign(Assignment { targets, value, span: place.span, src: place.src })
}

pub(crate) fn if_then(condition: Expression, body: Vec<Statement>, place: Place) -> Statement {
    let body = block(body, place);
    Statement::If(If { condition, body, span: place.span, src: place.src })
}

pub(crate) fn block(statements: Vec<Statement>, place: Place) -> Block {
    Block { statements, span: place.span, src: place.src }
}

/// A statement that evaluates an expression and does nothing else with its value.
pub(crate) fn pop(expression: Expression, place: Place) -> Statement {
    Statement::Expression(call(Opcode::POP, smallvec![expression], place), place.span, place.src)
}

/// A statement that calls an opcode without a result.
pub(crate) fn effect(opcode: Opcode, args: Arguments, place: Place) -> Statement {
    Statement::Expression(call(opcode, args, place), place.span, place.src)
}
