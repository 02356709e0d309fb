//! ConditionalUnsimplifier: removes the assignments that the ConditionalSimplifier makes.
//!
//! ```text
//! if x { revert(0, 0) } x := 0   →   if x { revert(0, 0) }
//! switch x case 1 { x := 1 … }   →   switch x case 1 { … }
//! ```
//! Needs unique names. Linear.

use cairn_evm::Word;
use cairn_yul::{Block, Expression, Statement, YulName};

use super::conditional_simplifier::zero_after;
use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::semantics::Terminations;
use crate::tools::walk::{child_blocks_mut, rewrite_statements};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "ConditionalUnsimplifier",
    letter: Some('U'),
    summary: "undo ConditionalSimplifier",
    needs: Form::UNIQUE_NAMES,
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(_cx: &mut StepContext<'_>, code: &mut Block) {
    let terminations = Terminations::new(code);
    unsimplify(code, &terminations);
}

fn unsimplify(block: &mut Block, terminations: &Terminations) {
    let mut known_zero = None;
    rewrite_statements(block, |mut statement, new| {
        let is_known = known_zero.take().is_some_and(|name| assigns(&statement, name, Word::ZERO));
        if is_known {
            return;
        }
        child_blocks_mut(&mut statement, &mut |child| unsimplify(child, terminations));
        remove_case_assignments(&mut statement);
        known_zero = zero_after(&statement, terminations);
        new.push(statement);
    });
}

fn remove_case_assignments(statement: &mut Statement) {
    let Statement::Switch(switch) = statement else {
        return;
    };
    let Expression::Identifier(condition) = &switch.expression else {
        return;
    };
    for case in &mut switch.cases {
        let Some(value) = &case.value else {
            continue;
        };
        if case.body.statements.first().is_some_and(|first| assigns(first, condition.name, value.value)) {
            case.body.statements.remove(0);
        }
    }
}

/// True for `name := value`.
fn assigns(statement: &Statement, name: YulName, value: Word) -> bool {
    let Statement::Assign(assignment) = statement else {
        return false;
    };
    let is_value = matches!(&assignment.value, Expression::Literal(literal) if literal.value == value);
    is_value && matches!(assignment.targets.as_slice(), [target] if target.name == name)
}
