//! DeadCodeEliminator: removes the rest of a block after a statement that control flow does not
//! leave. Functions stay.
//!
//! ```text
//! { revert(0, 0) mstore(1, 2) function f() { } }   →   { revert(0, 0) function f() { } }
//! ```
//! Needs unique names and no declarations in loop inits. Linear.

use cairn_yul::{Block, Statement};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::semantics::{Exit, Terminations};
use crate::tools::walk::child_blocks_mut;

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "DeadCodeEliminator",
    letter: Some('D'),
    summary: "remove code that is not reached",
    needs: Form::UNIQUE_NAMES.union(Form::NO_LOOP_INITS),
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(_cx: &mut StepContext<'_>, code: &mut Block) {
    let terminations = Terminations::new(code);
    eliminate(code, &terminations);
}

fn eliminate(block: &mut Block, terminations: &Terminations) {
    if let Some((last, exit)) = terminations.first_exit(&block.statements)
        && exit != Exit::FlowOut
    {
        let rest = block.statements.split_off(last + 1);
        block
            .statements
            .extend(rest.into_iter().filter(|statement| matches!(statement, Statement::Function(_))));
    }
    for statement in &mut block.statements {
        child_blocks_mut(statement, &mut |child| eliminate(child, terminations));
    }
}
