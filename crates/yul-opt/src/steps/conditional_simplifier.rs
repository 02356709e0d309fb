//! ConditionalSimplifier: assigns to condition variables what control flow says about them.
//!
//! ```text
//! if x { revert(0, 0) }   →   if x { revert(0, 0) } x := 0
//! switch x case 1 { … }   →   switch x case 1 { x := 1 … }
//! ```
//! Needs unique names. Destroys SSA form. Linear.

use cairn_evm::Word;
use cairn_yul::{Block, Expression, Statement};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::{self, Place, place_of};
use crate::tools::semantics::{Exit, Terminations};
use crate::tools::walk::{child_blocks_mut, rewrite_statements};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "ConditionalSimplifier",
    letter: Some('C'),
    summary: "assign what conditions say",
    needs: Form::UNIQUE_NAMES,
    preserves: Form::all().difference(Form::SSA),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(_cx: &mut StepContext<'_>, code: &mut Block) {
    let terminations = Terminations::new(code);
    simplify(code, &terminations);
}

fn simplify(block: &mut Block, terminations: &Terminations) {
    rewrite_statements(block, |mut statement, new| {
        child_blocks_mut(&mut statement, &mut |child| simplify(child, terminations));
        if let Statement::Switch(switch) = &mut statement
            && let Expression::Identifier(condition) = &switch.expression
        {
            for case in &mut switch.cases {
                if let Some(value) = &case.value {
                    let value = Expression::Literal(Box::new(value.clone()));
                    let place = Place::of_block(&case.body);
                    case.body.statements.insert(0, builder::assign(condition.name, value, place));
                }
            }
        }
        let known_zero = zero_after(&statement, terminations);
        let place = place_of(&statement);
        new.push(statement);
        if let Some(name) = known_zero {
            new.push(builder::assign(name, builder::number(Word::ZERO, place), place));
        }
    });
}

/// The variable that is zero after an `if` because its body never comes to its end.
pub(super) fn zero_after(statement: &Statement, terminations: &Terminations) -> Option<cairn_yul::YulName> {
    let Statement::If(branch) = statement else {
        return None;
    };
    let Expression::Identifier(condition) = &branch.condition else {
        return None;
    };
    let last = branch.body.statements.last()?;
    (terminations.exit_of(last) != Exit::FlowOut).then_some(condition.name)
}
