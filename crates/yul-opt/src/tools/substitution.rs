//! Copies of code with other names or with expressions in place of variables.

use cairn_yul::{Block, Expression, FunctionDefinition, Identifier, Statement, YulName};
use rustc_hash::FxHashMap;

use super::walk::{VisitorMut, walk_expression_mut, walk_statement_mut};

/// Replaces variables by expressions.
pub(crate) fn substitute(expression: &mut Expression, values: &FxHashMap<YulName, Expression>) {
    struct Substitution<'a>(&'a FxHashMap<YulName, Expression>);
    impl VisitorMut for Substitution<'_> {
        fn expression(&mut self, expression: &mut Expression) {
            if let Expression::Identifier(identifier) = expression {
                if let Some(value) = self.0.get(&identifier.name) {
                    *expression = value.clone();
                }
                return;
            }
            walk_expression_mut(self, expression);
        }
    }
    Substitution(values).expression(expression);
}

/// Renames variables (not functions) in a block: declarations, uses and assignments. `rename` is
/// asked at declarations first.
pub(crate) struct Renaming<'a> {
    /// New names of variables.
    pub(crate) variables: FxHashMap<YulName, YulName>,
    /// Makes a new name for a declared variable.
    pub(crate) new_name: &'a mut dyn FnMut(YulName) -> YulName,
}

impl Renaming<'_> {
    fn declare(&mut self, variable: &mut Identifier) {
        let name = (self.new_name)(variable.name);
        self.variables.insert(variable.name, name);
        variable.name = name;
    }

    fn rename(&self, variable: &mut Identifier) {
        if let Some(name) = self.variables.get(&variable.name) {
            variable.name = *name;
        }
    }
}

impl VisitorMut for Renaming<'_> {
    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Let(declaration) => {
                declaration.variables.iter_mut().for_each(|variable| self.declare(variable));
            }
            Statement::Assign(assignment) => {
                assignment.targets.iter_mut().for_each(|target| self.rename(target));
            }
            Statement::Expression(..)
            | Statement::If(_)
            | Statement::Switch(_)
            | Statement::For(_)
            | Statement::Function(_)
            | Statement::Break(..)
            | Statement::Continue(..)
            | Statement::Leave(..)
            | Statement::Block(_) => {}
        }
        walk_statement_mut(self, statement);
    }

    fn expression(&mut self, expression: &mut Expression) {
        if let Expression::Identifier(identifier) = expression {
            self.rename(identifier);
        }
        walk_expression_mut(self, expression);
    }

    fn function(&mut self, function: &mut FunctionDefinition) {
        function
            .parameters
            .iter_mut()
            .chain(&mut function.returns)
            .for_each(|variable| self.declare(variable));
        self.block(&mut function.body);
    }
}

/// A copy of a block with new names for everything declared in it.
pub(crate) fn copy_renamed(
    block: &Block,
    variables: FxHashMap<YulName, YulName>,
    new_name: &mut dyn FnMut(YulName) -> YulName,
) -> Block {
    let mut copy = block.clone();
    Renaming { variables, new_name }.block(&mut copy);
    copy
}
