//! NameDisplacer: renames what has one of the given names.
//!
//! Needs unique names; the names stay reserved for the steps that follow. Linear.

use cairn_yul::{Block, Callee, Expression, FunctionDefinition, Statement, YulName};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::walk::{VisitorMut, walk_expression_mut, walk_statement_mut};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "NameDisplacer",
    letter: None,
    summary: "rename what has one of the given names",
    needs: Form::UNIQUE_NAMES,
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::OnNames(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block, displaced: &[YulName]) {
    for name in displaced {
        cx.dispenser.mark(*name);
        cx.reserved.push(*name);
    }
    let displaced = displaced.iter().copied().collect();
    Displacer { cx, displaced, renamed: FxHashMap::default() }.block(code);
}

struct Displacer<'a, 'c> {
    cx: &'a mut StepContext<'c>,
    displaced: FxHashSet<YulName>,
    renamed: FxHashMap<YulName, YulName>,
}

impl Displacer<'_, '_> {
    fn rename(&mut self, name: &mut YulName) {
        if let Some(renamed) = self.renamed.get(name) {
            *name = *renamed;
        } else if self.displaced.contains(name) {
            let renamed = self.cx.new_name_like(*name);
            self.renamed.insert(*name, renamed);
            *name = renamed;
        }
    }
}

impl VisitorMut for Displacer<'_, '_> {
    fn statement(&mut self, statement: &mut Statement) {
        let identifiers = match statement {
            Statement::Let(declaration) => declaration.variables.as_mut_slice(),
            Statement::Assign(assignment) => assignment.targets.as_mut_slice(),
            _ => &mut [],
        };
        identifiers.iter_mut().for_each(|identifier| self.rename(&mut identifier.name));
        walk_statement_mut(self, statement);
    }

    fn expression(&mut self, expression: &mut Expression) {
        match expression {
            Expression::Identifier(identifier) => self.rename(&mut identifier.name),
            Expression::Call(call) => {
                if let Callee::User(name) = &mut call.callee {
                    self.rename(name);
                }
            }
            Expression::Literal(_) => {}
        }
        walk_expression_mut(self, expression);
    }

    fn function(&mut self, function: &mut FunctionDefinition) {
        self.rename(&mut function.name.name);
        for variable in function.parameters.iter_mut().chain(&mut function.returns) {
            self.rename(&mut variable.name);
        }
        self.block(&mut function.body);
    }
}
