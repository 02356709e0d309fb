//! VarNameCleaner: removes numbers that steps put behind names, as far as names stay apart in their
//! function.
//!
//! ```text
//! let a_1 := 1 let a_2_1 := 2   →   let a := 1 let a_1 := 2
//! ```
//! Needs unique names, hoisted functions and the grouped form. Names are then unique only in each
//! function. Linear.

use cairn_yul::{Block, Expression, FunctionDefinition, Identifier, Statement, YulName};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::{self, Place};
use crate::tools::dispenser::is_declarable;
use crate::tools::walk::{VisitorMut, walk_expression_mut, walk_statement_mut};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "VarNameCleaner",
    letter: None,
    summary: "remove numbers from names",
    needs: Form::UNIQUE_NAMES.union(Form::HOISTED).union(Form::GROUPED),
    preserves: Form::all().difference(Form::UNIQUE_NAMES),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let functions = code.statements.iter().filter_map(|statement| match statement {
        Statement::Function(function) => Some(function.name.name),
        _ => None,
    });
    let mut taken: FxHashSet<YulName> = functions.collect();
    taken.extend(cx.reserved.iter().copied());
    let scope = Scope::default();
    Cleaner { cx, functions: taken, scope }.block(code);
}

/// The names of a function.
#[derive(Default)]
struct Scope {
    renamed: FxHashMap<YulName, YulName>,
    used: FxHashSet<YulName>,
    /// Where the search for a free number starts, by stem.
    next: FxHashMap<String, u64>,
}

struct Cleaner<'a, 'c> {
    cx: &'a mut StepContext<'c>,
    functions: FxHashSet<YulName>,
    scope: Scope,
}

impl Cleaner<'_, '_> {
    fn declare(&mut self, variable: &mut Identifier) {
        let text = self.cx.names.text(variable.name);
        let stem = without_numbers(text);
        let keeps_name = stem.len() == text.len() && self.is_free(variable.name);
        let name = if keeps_name {
            variable.name
        } else {
            let stem = stem.to_owned();
            self.find_name(&stem)
        };
        self.scope.used.insert(name);
        self.scope.renamed.insert(variable.name, name);
        *variable = builder::identifier(name, Place::of_identifier(variable));
    }

    fn find_name(&mut self, stem: &str) -> YulName {
        if let Some(name) = self.try_name(stem) {
            return name;
        }
        let mut number = self.scope.next.get(stem).copied().unwrap_or(1);
        loop {
            if let Some(name) = self.try_name(&format!("{stem}_{number}")) {
                self.scope.next.insert(stem.to_owned(), number + 1);
                return name;
            }
            number += 1;
        }
    }

    fn try_name(&mut self, text: &str) -> Option<YulName> {
        if !is_declarable(text, &self.cx.dialect) {
            return None;
        }
        let name = self.cx.names.intern(text);
        self.is_free(name).then_some(name)
    }

    fn is_free(&self, name: YulName) -> bool {
        !self.scope.used.contains(&name) && !self.functions.contains(&name)
    }

    fn rename(&self, identifier: &mut Identifier) {
        if let Some(name) = self.scope.renamed.get(&identifier.name) {
            identifier.name = *name;
        }
    }
}

impl VisitorMut for Cleaner<'_, '_> {
    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Let(declaration) => {
                declaration.variables.iter_mut().for_each(|variable| self.declare(variable));
            }
            Statement::Assign(assignment) => {
                assignment.targets.iter_mut().for_each(|target| self.rename(target))
            }
            _ => {}
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
        let outer = std::mem::take(&mut self.scope);
        let variables = function.parameters.iter_mut().chain(&mut function.returns);
        variables.for_each(|variable| self.declare(variable));
        self.block(&mut function.body);
        self.scope = outer;
    }
}

/// A name without the `_<digits>` at its end.
fn without_numbers(name: &str) -> &str {
    let mut stem = name;
    loop {
        let digits_start = stem.trim_end_matches(|c: char| c.is_ascii_digit());
        match digits_start.strip_suffix('_') {
            Some(shorter) if digits_start.len() < stem.len() => stem = shorter,
            _ => return stem,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_stripped() {
        let cases = [("a_1", "a"), ("a_2_1", "a"), ("_42", ""), ("a1", "a1"), ("a_", "a_"), ("a__1", "a_")];
        for (name, stem) in cases {
            assert_eq!(without_numbers(name), stem);
        }
    }
}
