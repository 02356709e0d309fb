//! LiteralRematerialiser: puts literals in place of variables that are known to be equal to them.
//!
//! ```text
//! let a := 7 mstore(a, 1)   →   let a := 7 mstore(7, 1)
//! ```
//! Needs unique names and no declarations in loop inits. Destroys split form. Linear.

use cairn_yul::{Block, Expression};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::data_flow_analyzer::{Flow, Hooks, analyze};
use crate::tools::expressions::Class;

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "LiteralRematerialiser",
    letter: Some('T'),
    summary: "use literals in place of variables",
    needs: Form::UNIQUE_NAMES.union(Form::NO_LOOP_INITS),
    preserves: Form::all().difference(Form::SPLIT),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let effects = cx.effects_without_functions(code);
    analyze(code, &effects, cx.names.len(), &mut cx.scratch, &mut Rematerialiser);
}

struct Rematerialiser;

impl Hooks for Rematerialiser {
    fn keeps(&self, value: &Expression) -> bool {
        matches!(value, Expression::Literal(_))
    }

    fn expression(&mut self, flow: &mut Flow<'_>, expression: &mut Expression, class: Class) -> Class {
        let Expression::Identifier(identifier) = expression else {
            return class;
        };
        match flow.value_of(identifier.name) {
            Some(literal @ Expression::Literal(_)) => *expression = literal.clone(),
            _ => return class,
        }
        class
    }
}
