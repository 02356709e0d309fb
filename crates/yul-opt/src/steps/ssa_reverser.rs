//! SSAReverser: undoes, with the CommonSubexpressionEliminator and the UnusedPruner, what the
//! SSATransform does.
//!
//! ```text
//! let a_1 := E a := a_1       →   a := E let a_1 := a
//! let a_1 := E let a := a_1   →   let a := E let a_1 := a
//! a := a                      →   nothing
//! ```
//! Needs unique names. Destroys SSA form. Linear.

use cairn_yul::{Assignment, Block, Expression, Identifier, Statement, VariableDeclaration};

use crate::context::StepContext;
use crate::tools::builder::{self, Place};
use crate::tools::name_collector::for_each_assigned;
use crate::tools::walk::{child_blocks_mut, rewrite_statements};

pub(crate) fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let mut n_assignments = vec![0u32; cx.names.len()];
    for_each_assigned(code, &mut |name| n_assignments[name.0 as usize] += 1);
    reverse(code, &n_assignments);
}

fn reverse(block: &mut Block, n_assignments: &[u32]) {
    rewrite_statements(block, |mut statement, new| {
        child_blocks_mut(&mut statement, &mut |child| reverse(child, n_assignments));
        if is_self_assignment(&statement) {
            return;
        }
        let Some((old, variable)) = copied(new.last(), &statement, n_assignments) else {
            new.push(statement);
            return;
        };
        let Some(Statement::Let(first)) = new.pop() else {
            return;
        };
        let VariableDeclaration { value, span, src, .. } = first;
        let copy = builder::variable(variable.name, Place::of_identifier(&variable));
        match statement {
            Statement::Assign(second) => {
                let value = value.expect("invariant: the copied declaration has a value");
                new.push(Statement::Assign(Assignment { targets: second.targets, value, span, src }));
            }
            Statement::Let(second) => {
                new.push(Statement::Let(VariableDeclaration {
                    variables: second.variables,
                    value,
                    span,
                    src,
                }));
            }
            _ => {}
        }
        new.push(builder::declare_all(vec![old], Some(copy), Place { span, src }));
    });
}

fn is_self_assignment(statement: &Statement) -> bool {
    let Statement::Assign(assignment) = statement else {
        return false;
    };
    match (assignment.targets.as_slice(), &assignment.value) {
        ([target], Expression::Identifier(value)) => target.name == value.name,
        _ => false,
    }
}

/// The two variables of `let old := E` followed by `variable := old` or `let variable := old`.
/// Of two declarations, the second must be the one that is assigned to more often.
fn copied(
    first: Option<&Statement>,
    second: &Statement,
    n_assignments: &[u32],
) -> Option<(Identifier, Identifier)> {
    let Some(Statement::Let(VariableDeclaration { variables, value: Some(_), .. })) = first else {
        return None;
    };
    let [old] = variables.as_slice() else {
        return None;
    };
    let (target, value) = match second {
        Statement::Assign(assignment) => (assignment.targets.as_slice(), &assignment.value),
        Statement::Let(declaration) => (declaration.variables.as_slice(), declaration.value.as_ref()?),
        _ => return None,
    };
    match (target, value) {
        ([target], Expression::Identifier(value)) if value.name == old.name => {
            let count = |identifier: &Identifier| n_assignments[identifier.name.0 as usize];
            let is_swapped = matches!(second, Statement::Assign(_)) || count(target) > count(old);
            is_swapped.then_some((*old, *target))
        }
        _ => None,
    }
}
