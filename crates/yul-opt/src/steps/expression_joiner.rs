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
use crate::tools::name_collector::count_references;
use crate::tools::walk::child_blocks_mut;

pub(crate) fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let n_references = count_references(code, cx.names.len());
    let joiner = Joiner { n_references };
    joiner.join(code);
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
    /// Expressions do not become deeper.
    max_depth: usize,
}

/// Depth of joined expressions.
const MAX_DEPTH: usize = MAX_NESTING / 4;

impl Joiner {
    fn join(&self, block: &mut Block) {
        for index in 0..block.statements.len() {
            let (done, rest) = block.statements.split_at_mut(index);
            let statement = &mut rest[0];
            let mut before = Before { statements: done, max_depth: MAX_DEPTH };
            match statement {
                Statement::Expression(expression, ..) => self.expression(expression, &mut before),
                Statement::Let(declaration) => {
                    if let Some(value) = &mut declaration.value {
                        self.expression(value, &mut before);
                    }
                }
                Statement::Assign(assignment) => self.expression(&mut assignment.value, &mut before),
                Statement::If(branch) => self.expression(&mut branch.condition, &mut before),
                Statement::Switch(switch) => self.expression(&mut switch.expression, &mut before),
                Statement::For(_)
                | Statement::Function(_)
                | Statement::Break(..)
                | Statement::Continue(..)
                | Statement::Leave(..)
                | Statement::Block(_) => {}
            }
            child_blocks_mut(statement, &mut |child| self.join(child));
        }
    }

    fn expression(&self, expression: &mut Expression, before: &mut Before<'_>) {
        match expression {
            Expression::Literal(_) => {}
            Expression::Identifier(identifier) => {
                if let Some(value) = self.take_value(identifier.name, before) {
                    *expression = value;
                }
            }
            Expression::Call(call) => {
                // Everything right of the last call is evaluated before it.
                let last_call =
                    call.args.iter().rposition(|argument| matches!(argument, Expression::Call(_)));
                for argument in &mut call.args[last_call.unwrap_or(0)..] {
                    self.expression(argument, before);
                }
            }
        }
    }

    fn take_value(&self, name: cairn_yul::YulName, before: &mut Before<'_>) -> Option<Expression> {
        let latest = before.statements.last_mut()?;
        let value = self.value_to_join(latest, name, before.max_depth)?;
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
