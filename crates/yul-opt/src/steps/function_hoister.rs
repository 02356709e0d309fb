//! FunctionHoister: moves all functions to the end of the outermost block, and removes empty blocks.
//!
//! ```text
//! { let a { function f() { function g() { } } } }   →   { let a function g() { } function f() { } }
//! ```
//! Needs unique names, because the scope of the functions grows. Linear.

use cairn_yul::{Block, Statement};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::walk::{child_blocks_mut, rewrite_statements};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "FunctionHoister",
    letter: Some('h'),
    summary: "move functions to the outermost block",
    needs: Form::UNIQUE_NAMES,
    preserves: Form::all(),
    gives: Form::HOISTED,
    run: Run::Plain(run),
};

fn run(_cx: &mut StepContext<'_>, code: &mut Block) {
    let mut functions = Vec::new();
    hoist(code, &mut functions);
    code.statements.append(&mut functions);
}

fn hoist(block: &mut Block, functions: &mut Vec<Statement>) {
    rewrite_statements(block, |mut statement, new| {
        child_blocks_mut(&mut statement, &mut |child| hoist(child, functions));
        match statement {
            Statement::Function(_) => functions.push(statement),
            Statement::Block(inner) if inner.statements.is_empty() => {}
            other => new.push(other),
        }
    });
}
