//! MainFunction: makes the code outside of functions a function `main` without inputs or outputs.
//!
//! ```text
//! { { sstore(0, 1) } function f() { } }   →   { function main() { sstore(0, 1) } function f() { } }
//! ```
//! For targets whose modules start at a function. Needs the grouped form and destroys it; the name
//! `main` must be free, or is made free by adding a number. Linear.

use cairn_yul::{Block, FunctionDefinition, Statement};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::{self, Place};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "MainFunction",
    letter: None,
    summary: "make the code a function `main`",
    needs: Form::UNIQUE_NAMES.union(Form::HOISTED).union(Form::GROUPED),
    preserves: Form::all().difference(Form::GROUPED),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let Some(Statement::Block(main)) = code.statements.first_mut() else {
        return;
    };
    let body = std::mem::take(main);
    let place = Place::of_block(&body);
    let name = builder::identifier(cx.new_name("main"), place);
    code.statements[0] = Statement::Function(Box::new(FunctionDefinition {
        name,
        parameters: Vec::new(),
        returns: Vec::new(),
        body,
        span: place.span,
        src: place.src,
    }));
}
