//! ForLoopInitRewriter: puts the init statements of a loop before the loop.
//!
//! ```text
//! for { let i := 0 } c { } { … }   →   let i := 0 for { } c { } { … }
//! ```
//! Needs unique names, because the scope of the variables grows. Linear.

use cairn_yul::{Block, Statement};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::walk::{child_blocks_mut, rewrite_statements};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "ForLoopInitRewriter",
    letter: Some('o'),
    summary: "move init statements before loops",
    needs: Form::UNIQUE_NAMES,
    preserves: Form::all(),
    gives: Form::NO_LOOP_INITS,
    run: Run::Plain(run),
};

fn run(_cx: &mut StepContext<'_>, code: &mut Block) {
    rewrite(code);
}

fn rewrite(block: &mut Block) {
    rewrite_statements(block, |mut statement, new| {
        child_blocks_mut(&mut statement, &mut rewrite);
        if let Statement::For(the_loop) = &mut statement {
            new.append(&mut the_loop.init.statements);
        }
        new.push(statement);
    });
}
