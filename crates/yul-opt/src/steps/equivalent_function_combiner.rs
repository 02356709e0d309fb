//! EquivalentFunctionCombiner: calls the first of several functions that are the same.
//!
//! Functions are the same when they differ in the names of their variables only. The others are
//! left for the UnusedPruner. Needs unique names and hoisted functions. Linear.

use cairn_yul::{Block, Callee, Expression, Statement, YulName};
use rustc_hash::FxHashMap;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::syntactical_equality::{Token, shape};
use crate::tools::walk::{VisitorMut, walk_expression_mut};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "EquivalentFunctionCombiner",
    letter: Some('v'),
    summary: "call one of equal functions",
    needs: Form::UNIQUE_NAMES.union(Form::HOISTED),
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(_cx: &mut StepContext<'_>, code: &mut Block) {
    let mut first: FxHashMap<Vec<Token>, YulName> = FxHashMap::default();
    let mut same: FxHashMap<YulName, YulName> = FxHashMap::default();
    for statement in &code.statements {
        if let Statement::Function(function) = statement {
            let representative = *first.entry(shape(function)).or_insert(function.name.name);
            if representative != function.name.name {
                same.insert(function.name.name, representative);
            }
        }
    }
    if !same.is_empty() {
        Combiner { same }.block(code);
    }
}

struct Combiner {
    same: FxHashMap<YulName, YulName>,
}

impl VisitorMut for Combiner {
    fn expression(&mut self, expression: &mut Expression) {
        if let Expression::Call(call) = expression
            && let Callee::User(name) = &mut call.callee
            && let Some(representative) = self.same.get(name)
        {
            *name = *representative;
        }
        walk_expression_mut(self, expression);
    }
}
