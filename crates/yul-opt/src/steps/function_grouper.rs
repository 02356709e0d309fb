//! FunctionGrouper: brings the outermost block into the form `{ { code… } functions… }`.
//!
//! Needs unique names; nested functions are the FunctionHoister's business. Changes nothing where
//! the form is there already. Linear in the number of outermost statements.

use cairn_yul::{Block, Statement};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::{self, Place};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "FunctionGrouper",
    letter: Some('g'),
    summary: "code first, functions after",
    needs: Form::UNIQUE_NAMES,
    preserves: Form::all(),
    gives: Form::GROUPED,
    run: Run::Plain(run),
};

fn run(_cx: &mut StepContext<'_>, code: &mut Block) {
    if is_grouped(code) {
        return;
    }
    let place = Place::of_block(code);
    let (functions, others): (Vec<Statement>, Vec<Statement>) = std::mem::take(&mut code.statements)
        .into_iter()
        .partition(|statement| matches!(statement, Statement::Function(_)));
    code.statements.push(Statement::Block(builder::block(others, place)));
    code.statements.extend(functions);
}

/// True for `{ { … } functions… }`.
pub(crate) fn is_grouped(code: &Block) -> bool {
    let mut statements = code.statements.iter();
    matches!(statements.next(), Some(Statement::Block(_)))
        && statements.all(|statement| matches!(statement, Statement::Function(_)))
}
