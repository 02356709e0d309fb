//! Printing of expressions.

use super::{Printer, literal_text};
use crate::ast::{Callee, Expression, FunctionCall, Identifier};

impl Printer<'_> {
    pub(super) fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Literal(literal) => {
                self.debug_inline(literal.src);
                self.push(&literal_text(literal));
                self.comment(literal.src);
            }
            Expression::Identifier(identifier) => {
                self.debug_inline(identifier.src);
                self.name(identifier);
            }
            Expression::Call(call) => self.call(call),
        }
    }

    fn call(&mut self, call: &FunctionCall) {
        self.debug_inline(call.src);
        match call.callee {
            Callee::Builtin(builtin) => self.push(&builtin.name(self.dialect.fork)),
            Callee::User(name) => self.push(self.names.text(name)),
        }
        self.push("(");
        for (index, argument) in call.args.iter().enumerate() {
            if self.is_hopeless() {
                return;
            }
            if index > 0 {
                self.push(", ");
            }
            self.expression(argument);
        }
        self.push(")");
        self.comment(call.src);
    }

    pub(super) fn name(&mut self, identifier: &Identifier) {
        self.push(self.names.text(identifier.name));
    }

    pub(super) fn name_list(&mut self, identifiers: &[Identifier]) {
        for (index, identifier) in identifiers.iter().enumerate() {
            if index > 0 {
                self.push(", ");
            }
            self.name(identifier);
        }
    }
}
