//! StructuralSimplifier: decides branches whose condition is a literal.
//!
//! * `if 1 { … }` → the statements; `if 0 { … }` → nothing
//! * `switch 3 case 3 { … }` → the block of the case that matches, or of `default`
//! * `for { … } 0 { } { }` → its init statements
//!
//! Needs unique names and no declarations in loop inits; best after the LiteralRematerialiser.
//! Linear.

use cairn_yul::{Block, Expression, Statement, Switch};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::walk::{child_blocks_mut, rewrite_statements};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "StructuralSimplifier",
    letter: Some('t'),
    summary: "decide constant branches",
    needs: Form::UNIQUE_NAMES.union(Form::NO_LOOP_INITS),
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(_cx: &mut StepContext<'_>, code: &mut Block) {
    simplify(code);
}

fn simplify(block: &mut Block) {
    rewrite_statements(block, |mut statement, new| {
        child_blocks_mut(&mut statement, &mut simplify);
        match statement {
            Statement::If(branch) => match constant(&branch.condition) {
                Some(true) => new.extend(branch.body.statements),
                Some(false) => {}
                None => new.push(Statement::If(branch)),
            },
            Statement::Switch(switch) => simplify_switch(switch, new),
            Statement::For(the_loop) if constant(&the_loop.condition) == Some(false) => {
                new.extend(the_loop.init.statements);
            }
            other => new.push(other),
        }
    });
}

fn constant(condition: &Expression) -> Option<bool> {
    match condition {
        Expression::Literal(literal) => Some(!literal.value.is_zero()),
        Expression::Identifier(_) | Expression::Call(_) => None,
    }
}

fn simplify_switch(switch: Switch, new: &mut Vec<Statement>) {
    let Expression::Literal(literal) = &switch.expression else {
        new.push(Statement::Switch(switch));
        return;
    };
    let value = literal.value;
    let is_match = |case: &cairn_yul::Case| case.value.as_ref().is_some_and(|label| label.value == value);
    let found = switch.cases.iter().position(is_match);
    let found = found.or_else(|| switch.cases.iter().position(|case| case.value.is_none()));
    if let Some(case) = found.and_then(|index| switch.cases.into_iter().nth(index)) {
        new.push(Statement::Block(case.body));
    }
}
