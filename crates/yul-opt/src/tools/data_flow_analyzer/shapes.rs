//! Shapes of code that the walk looks for.

use crate::tools::name_collector::{assigned_names, for_each_reference_in};
use cairn_evm::Opcode;
use cairn_yul::{Block, Builtin, Callee, Expression, Statement, YulName};

/// True for an expression in which the name stands.
pub(super) fn mentions(expression: &Expression, name: YulName) -> bool {
    let mut is_found = false;
    for_each_reference_in(expression, &mut |found| is_found |= found == name);
    is_found
}

/// `sstore(k, v)` or `mstore(k, v)` of variables.
pub(crate) fn simple_store(expression: &Expression) -> Option<(Opcode, YulName, YulName)> {
    let Expression::Call(call) = expression else {
        return None;
    };
    match (call.callee, call.args.as_slice()) {
        (
            Callee::Builtin(Builtin::Evm(opcode @ (Opcode::SSTORE | Opcode::MSTORE))),
            [Expression::Identifier(key), Expression::Identifier(value)],
        ) => Some((opcode, key.name, value.name)),
        _ => None,
    }
}

/// The variables of which an assignment can be skipped by a `continue` before it.
pub(super) fn assigned_after_continue(body: &Block) -> Vec<YulName> {
    let mut found = Vec::new();
    let mut has_continue = false;
    collect_after_continue(body, &mut has_continue, &mut found);
    found
}

fn collect_after_continue(block: &Block, has_continue: &mut bool, found: &mut Vec<YulName>) {
    for statement in &block.statements {
        match statement {
            Statement::Continue(..) => *has_continue = true,
            Statement::Assign(assignment) if *has_continue => {
                found.extend(assignment.targets.iter().map(|target| target.name));
            }
            Statement::If(branch) => collect_after_continue(&branch.body, has_continue, found),
            Statement::Switch(switch) => {
                switch.cases.iter().for_each(|case| collect_after_continue(&case.body, has_continue, found));
            }
            Statement::Block(block) => collect_after_continue(block, has_continue, found),
            Statement::For(the_loop) if *has_continue => {
                found.extend(assigned_names(&the_loop.body));
                found.extend(assigned_names(&the_loop.post));
            }
            Statement::For(_)
            | Statement::Expression(..)
            | Statement::Let(_)
            | Statement::Assign(_)
            | Statement::Function(_)
            | Statement::Break(..)
            | Statement::Leave(..) => {}
        }
    }
}
