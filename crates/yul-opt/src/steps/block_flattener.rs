//! BlockFlattener: puts the statements of nested blocks in place of the blocks.
//!
//! ```text
//! { { let x := 2 { let y := 3 mstore(x, y) } } }   →   { { let x := 2 let y := 3 mstore(x, y) } }
//! ```
//! Needs unique names (scopes grow) and the grouped form, whose outermost blocks stay. Linear.

use cairn_yul::{Block, Statement};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::walk::{child_blocks_mut, rewrite_statements};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "BlockFlattener",
    letter: Some('f'),
    summary: "inline nested blocks",
    needs: Form::UNIQUE_NAMES.union(Form::GROUPED),
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(_cx: &mut StepContext<'_>, code: &mut Block) {
    for statement in &mut code.statements {
        match statement {
            Statement::Block(block) => flatten(block),
            Statement::Function(function) => flatten(&mut function.body),
            Statement::Expression(..)
            | Statement::Let(_)
            | Statement::Assign(_)
            | Statement::If(_)
            | Statement::Switch(_)
            | Statement::For(_)
            | Statement::Break(..)
            | Statement::Continue(..)
            | Statement::Leave(..) => child_blocks_mut(statement, &mut flatten),
        }
    }
}

fn flatten(block: &mut Block) {
    block.statements.iter_mut().for_each(|statement| child_blocks_mut(statement, &mut flatten));
    if !block.statements.iter().any(|statement| matches!(statement, Statement::Block(_))) {
        return;
    }
    rewrite_statements(block, |statement, new| match statement {
        Statement::Block(inner) => new.extend(inner.statements),
        other => new.push(other),
    });
}
