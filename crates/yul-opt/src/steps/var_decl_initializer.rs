//! VarDeclInitializer: gives every variable a value.
//!
//! ```text
//! let a, b   →   let a := 0 let b := 0
//! ```
//! Needs nothing. Linear.

use cairn_evm::Word;
use cairn_yul::{Block, Statement};
use smallvec::smallvec;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder;
use crate::tools::walk::{child_blocks_mut, rewrite_statements};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "VarDeclInitializer",
    letter: Some('d'),
    summary: "give every variable a value",
    needs: Form::empty(),
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(_cx: &mut StepContext<'_>, code: &mut Block) {
    initialize(code);
}

fn initialize(block: &mut Block) {
    rewrite_statements(block, |mut statement, new| {
        child_blocks_mut(&mut statement, &mut initialize);
        let place = builder::place_of(&statement);
        match statement {
            Statement::Let(declaration) if declaration.value.is_none() => {
                new.extend(declaration.variables.into_iter().map(|variable| {
                    builder::declare_all(smallvec![variable], Some(builder::number(Word::ZERO, place)), place)
                }));
            }
            other => new.push(other),
        }
    });
}
