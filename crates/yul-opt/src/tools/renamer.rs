//! New names for all that has a name.

use crate::tools::walk::{VisitorMut, walk_expression_mut, walk_statement_mut};
use cairn_yul::{Block, Callee, Expression, FunctionDefinition, Identifier, Statement, YulName};

/// Calls `rename` on every name in the code, where it is declared and where it is used, in the order of the text.
pub(crate) fn rename_all(code: &mut Block, rename: impl FnMut(&mut YulName)) {
    Renamer(rename).block(code);
}

struct Renamer<F>(F);

impl<F: FnMut(&mut YulName)> Renamer<F> {
    fn identifiers(&mut self, identifiers: &mut [Identifier]) {
        identifiers.iter_mut().for_each(|identifier| (self.0)(&mut identifier.name));
    }
}

impl<F: FnMut(&mut YulName)> VisitorMut for Renamer<F> {
    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Let(declaration) => self.identifiers(&mut declaration.variables),
            Statement::Assign(assignment) => self.identifiers(&mut assignment.targets),
            _ => {}
        }
        walk_statement_mut(self, statement);
    }

    fn expression(&mut self, expression: &mut Expression) {
        match expression {
            Expression::Identifier(identifier) => (self.0)(&mut identifier.name),
            Expression::Call(call) => {
                if let Callee::User(name) = &mut call.callee {
                    (self.0)(name);
                }
            }
            Expression::Literal(_) => {}
        }
        walk_expression_mut(self, expression);
    }

    fn function(&mut self, function: &mut FunctionDefinition) {
        (self.0)(&mut function.name.name);
        self.identifiers(&mut function.parameters);
        self.identifiers(&mut function.returns);
        self.block(&mut function.body);
    }
}
