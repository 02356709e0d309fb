//! ExpressionSplitter: gives every argument that is not a variable a variable.
//!
//! ```text
//! mstore(add(calldataload(2), mload(3)), 8)
//!     →   let _1 := 8 let _2 := 3 let _3 := mload(_2) let _4 := 2 let _5 := calldataload(_4)
//!         let _6 := add(_5, _3) mstore(_6, _1)
//! ```
//! The order of evaluation stays. Conditions of loops are left alone, and literals that builtins
//! need. Needs unique names. Linear.

use cairn_yul::{Block, Expression, Statement, YulName};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::{self, Place};
use crate::tools::expressions::takes_literal;
use crate::tools::walk::{child_blocks_mut, rewrite_statements};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "ExpressionSplitter",
    letter: Some('x'),
    summary: "give every argument a variable",
    needs: Form::UNIQUE_NAMES,
    preserves: Form::all(),
    gives: Form::SPLIT,
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    split_block(cx, code);
}

fn split_block(cx: &mut StepContext<'_>, block: &mut Block) {
    rewrite_statements(block, |mut statement, new| {
        match &mut statement {
            Statement::Expression(expression, ..) => split_arguments(cx, expression, new),
            Statement::Let(declaration) => {
                if let Some(value) = &mut declaration.value {
                    split_arguments(cx, value, new);
                }
            }
            Statement::Assign(assignment) => split_arguments(cx, &mut assignment.value, new),
            Statement::If(branch) => outline(cx, &mut branch.condition, new),
            Statement::Switch(switch) => outline(cx, &mut switch.expression, new),
            Statement::For(_)
            | Statement::Function(_)
            | Statement::Break(..)
            | Statement::Continue(..)
            | Statement::Leave(..)
            | Statement::Block(_) => {}
        }
        child_blocks_mut(&mut statement, &mut |child| split_block(cx, child));
        new.push(statement);
    });
}

fn split_arguments(cx: &mut StepContext<'_>, expression: &mut Expression, new: &mut Vec<Statement>) {
    let Expression::Call(call) = expression else {
        return;
    };
    let callee = call.callee;
    for (index, argument) in call.args.iter_mut().enumerate().rev() {
        if !takes_literal(callee, index) {
            outline(cx, argument, new);
        }
    }
}

/// Puts a variable in place of an expression that is not one.
fn outline(cx: &mut StepContext<'_>, expression: &mut Expression, new: &mut Vec<Statement>) {
    if matches!(expression, Expression::Identifier(_)) {
        return;
    }
    split_arguments(cx, expression, new);
    let place = Place::of(expression);
    let name: YulName = cx.new_name("");
    let value = std::mem::replace(expression, builder::variable(name, place));
    new.push(builder::declare(name, Some(value), place));
}
