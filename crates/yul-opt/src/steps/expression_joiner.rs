//! ExpressionJoiner: puts values of variables that are used once into the expression that uses them.
//!
//! ```text
//! let a := mload(2) let b := mload(6) let x := mul(add(b, a), 2) sstore(x, 3)
//!                                     →   sstore(mul(add(mload(6), mload(2)), 2), 3)
//! ```
//! The order of calls does not change: only the declaration right before a statement is joined, and
//! only into a place where nothing is evaluated before it. Removes empty blocks. Needs unique names
//! and the grouped form. Destroys split form. Linear.

use cairn_yul::{Block, Expression, MAX_NESTING, Statement};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::name_collector::count_references;
use crate::tools::walk::child_blocks_mut;

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "ExpressionJoiner",
    letter: Some('j'),
    summary: "join values that are used once",
    needs: Form::UNIQUE_NAMES.union(Form::GROUPED),
    preserves: Form::all().difference(Form::SPLIT),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let n_references = count_references(code, cx.names.len());
    let joiner = Joiner { n_references };
    joiner.join(code, 1);
    for statement in &mut code.statements {
        child_blocks_mut(statement, &mut remove_empty_blocks);
    }
}

/// Empty blocks mark the places of joined declarations until all is done: nothing is joined over
/// them, so that one run does not reach further back than solc's.
fn remove_empty_blocks(block: &mut Block) {
    for statement in &mut block.statements {
        child_blocks_mut(statement, &mut remove_empty_blocks);
    }
    block
        .statements
        .retain(|statement| !matches!(statement, Statement::Block(inner) if inner.statements.is_empty()));
}

struct Joiner {
    n_references: Vec<u32>,
}

/// The statements before the one that is looked at.
struct Before<'a> {
    statements: &'a mut [Statement],
}

/// Depth of expressions that are joined into others.
const MAX_DEPTH: usize = MAX_NESTING / 4;

/// Depth in blocks and calls that nothing is joined beyond: what comes out can be read again.
const MAX_PLACE: usize = MAX_NESTING / 2;

impl Joiner {
    /// Joins in a block that stands this deep.
    fn join(&self, block: &mut Block, depth: usize) {
        for index in 0..block.statements.len() {
            let (done, rest) = block.statements.split_at_mut(index);
            let statement = &mut rest[0];
            let mut before = Before { statements: done };
            match statement {
                Statement::Expression(expression, ..) => self.expression(expression, depth, &mut before),
                Statement::Let(declaration) => {
                    if let Some(value) = &mut declaration.value {
                        self.expression(value, depth, &mut before);
                    }
                }
                Statement::Assign(assignment) => self.expression(&mut assignment.value, depth, &mut before),
                Statement::If(branch) => self.expression(&mut branch.condition, depth, &mut before),
                Statement::Switch(switch) => self.expression(&mut switch.expression, depth, &mut before),
                Statement::For(_)
                | Statement::Function(_)
                | Statement::Break(..)
                | Statement::Continue(..)
                | Statement::Leave(..)
                | Statement::Block(_) => {}
            }
            child_blocks_mut(statement, &mut |child| self.join(child, depth + 1));
        }
    }

    fn expression(&self, expression: &mut Expression, depth: usize, before: &mut Before<'_>) {
        match expression {
            Expression::Literal(_) => {}
            Expression::Identifier(identifier) => {
                if let Some(value) = self.take_value(identifier.name, depth, before) {
                    *expression = value;
                }
            }
            Expression::Call(call) => {
                // Everything right of the last call is evaluated before it.
                let last_call =
                    call.args.iter().rposition(|argument| matches!(argument, Expression::Call(_)));
                for argument in &mut call.args[last_call.unwrap_or(0)..] {
                    self.expression(argument, depth + 1, before);
                }
            }
        }
    }

    /// The value of the variable, taken out of the statement before, if it may stand this deep.
    fn take_value(
        &self,
        name: cairn_yul::YulName,
        depth: usize,
        before: &mut Before<'_>,
    ) -> Option<Expression> {
        let latest = before.statements.last_mut()?;
        let value = self.value_to_join(latest, name, MAX_DEPTH.min(MAX_PLACE.saturating_sub(depth)))?;
        *latest = Statement::Block(Block::default());
        let statements = std::mem::take(&mut before.statements);
        let n_left = statements.len() - 1;
        before.statements = &mut statements[..n_left];
        Some(value)
    }

    fn value_to_join(
        &self,
        latest: &mut Statement,
        name: cairn_yul::YulName,
        max_depth: usize,
    ) -> Option<Expression> {
        let Statement::Let(declaration) = latest else {
            return None;
        };
        let is_joinable = matches!(declaration.variables.as_slice(), [variable] if variable.name == name)
            && self.n_references[name.0 as usize] == 1
            && declaration.value.as_ref().is_some_and(|value| depth_of(value) < max_depth);
        if is_joinable { declaration.value.take() } else { None }
    }
}

/// The depth of an expression, along its deepest arguments.
fn depth_of(expression: &Expression) -> usize {
    let Expression::Call(call) = expression else {
        return 1;
    };
    1 + call.args.iter().map(depth_of).max().unwrap_or(0)
}
