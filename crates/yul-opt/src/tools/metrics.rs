//! Sizes and costs of code, as solc's heuristics see them.

use cairn_evm::opcode::GasClass;
use cairn_evm::{Fork, Opcode, Word};
use cairn_yul::{Block, Builtin, Callee, Dialect, Expression, LiteralKind, Statement};

use super::walk::{Visitor, walk_expression, walk_statement};

struct Size {
    size: usize,
    enters_functions: bool,
}

impl Visitor for Size {
    fn statement(&mut self, statement: &Statement) {
        self.size += match statement {
            Statement::Expression(..) | Statement::Let(_) | Statement::Assign(_) | Statement::Block(_) => 0,
            Statement::Function(_) => usize::from(self.enters_functions),
            Statement::If(_) | Statement::Break(..) | Statement::Continue(..) | Statement::Leave(..) => 2,
            Statement::Switch(switch) => 1 + 2 * switch.cases.len(),
            Statement::For(_) => 3,
        };
        if self.enters_functions || !matches!(statement, Statement::Function(_)) {
            walk_statement(self, statement);
        }
    }

    fn expression(&mut self, expression: &Expression) {
        self.size += match expression {
            // Zero is free whatever the fork, as a number.
            Expression::Literal(literal) => {
                usize::from(literal.kind == LiteralKind::String || !literal.value.is_zero())
            }
            Expression::Call(_) => 1,
            Expression::Identifier(_) => 0,
        };
        walk_expression(self, expression);
    }
}

/// The size of a block without the functions in it.
pub(crate) fn code_size(block: &Block) -> usize {
    let mut size = Size { size: 0, enters_functions: false };
    size.block(block);
    size.size
}

/// The size of a block with the functions in it.
pub(crate) fn code_size_with_functions(block: &Block) -> usize {
    let mut size = Size { size: 0, enters_functions: true };
    size.block(block);
    size.size
}

/// The size of an expression.
pub(crate) fn expression_size(expression: &Expression) -> usize {
    let mut size = Size { size: 0, enters_functions: false };
    size.expression(expression);
    size.size
}

/// What evaluating an expression again costs, roughly in instructions and bytes. Zero for opcodes
/// that only push a word, and for the number zero where `PUSH0` exists.
pub(crate) fn evaluation_cost(expression: &Expression, dialect: &Dialect) -> usize {
    match expression {
        Expression::Identifier(_) => 1,
        Expression::Literal(literal)
            if literal.kind == LiteralKind::Number
                && literal.value.is_zero()
                && dialect.fork >= Fork::Shanghai =>
        {
            0
        }
        Expression::Literal(literal) => {
            1 + match literal.kind {
                LiteralKind::Bool => 0,
                LiteralKind::Number => significant_bytes(literal.value).saturating_sub(1),
                LiteralKind::String => literal.text.as_ref().map_or(0, |text| text.len()),
            }
        }
        Expression::Call(call) => {
            let args: usize = call.args.iter().map(|argument| evaluation_cost(argument, dialect)).sum();
            match call.callee {
                Callee::Builtin(Builtin::Evm(opcode)) => args + opcode_cost(opcode),
                Callee::Builtin(_) | Callee::User(_) => args + 50,
            }
        }
    }
}

fn opcode_cost(opcode: Opcode) -> usize {
    match opcode.known().gas {
        GasClass::Zero | GasClass::JumpDest | GasClass::Base => 0,
        GasClass::VeryLow | GasClass::Copy | GasClass::Memory | GasClass::Low | GasClass::Mid => 2,
        GasClass::High
        | GasClass::Exp
        | GasClass::Keccak
        | GasClass::Account
        | GasClass::BlockHash
        | GasClass::Sload
        | GasClass::Sstore
        | GasClass::Transient
        | GasClass::Log
        | GasClass::Create
        | GasClass::Call
        | GasClass::SelfDestruct => 50,
    }
}

/// The number of bytes that a number needs; zero for zero.
pub(crate) fn significant_bytes(value: Word) -> usize {
    value.byte_len()
}
