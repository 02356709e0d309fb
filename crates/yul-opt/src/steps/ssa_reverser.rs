//! SSAReverser: undoes, with the CommonSubexpressionEliminator and the UnusedPruner, what the
//! SSATransform does.
//!
//! ```text
//! let a_1 := E a := a_1       →   a := E let a_1 := a
//! let a_1 := E let a := a_1   →   let a := E let a_1 := a
//! let a := E a := a         →   let a := E
//! ```
//! Needs unique names. Destroys SSA form. Linear.

use cairn_yul::{Block, Expression, Identifier, Statement, VariableDeclaration, YulName};
use smallvec::smallvec;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::{self, Place, place_of};
use crate::tools::name_collector::for_each_assigned;
use crate::tools::walk::child_blocks_mut;

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "SSAReverser",
    letter: Some('V'),
    summary: "undo SSATransform",
    needs: Form::UNIQUE_NAMES,
    preserves: Form::all().difference(Form::SSA),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let mut n_assignments = vec![0u32; cx.names.len()];
    for_each_assigned(code, &mut |name| n_assignments[name.0 as usize] += 1);
    reverse(code, &n_assignments);
}

fn reverse(block: &mut Block, n_assignments: &[u32]) {
    let statements = &mut block.statements;
    for statement in statements.iter_mut() {
        child_blocks_mut(statement, &mut |child| reverse(child, n_assignments));
    }
    let (mut index, mut removed) = (1, Vec::new());
    while index < statements.len() {
        let (first, second) = (&statements[index - 1], &statements[index]);
        if declared_with_value(first).is_some_and(|name| self_assigned(second) == Some(name)) {
            removed.push(index);
            index += 2;
            continue;
        }
        let Some((old, variable)) = copied(first, second, n_assignments) else {
            index += 1;
            continue;
        };
        let copy = Some(builder::variable(variable.name, Place::of_identifier(&variable)));
        let place = place_of(&statements[index - 1]);
        let copying = builder::declare_all(smallvec![old], copy, place);
        let first = std::mem::replace(&mut statements[index - 1], copying);
        move_value(first, &mut statements[index]);
        statements.swap(index - 1, index);
        // Pairs do not overlap.
        index += 2;
    }
    let (mut at, mut removed) = (0, removed.into_iter().peekable());
    statements.retain(|_| {
        at += 1;
        removed.next_if_eq(&(at - 1)).is_none()
    });
}

/// Gives the value of a declaration to another statement, with its place.
fn move_value(first: Statement, second: &mut Statement) {
    let Statement::Let(VariableDeclaration { value: Some(value), span, src, .. }) = first else {
        return;
    };
    match second {
        Statement::Assign(second) => {
            (second.value, second.span, second.src) = (value, span, src);
        }
        Statement::Let(second) => {
            (second.value, second.span, second.src) = (Some(value), span, src);
        }
        _ => {}
    }
}

fn self_assigned(statement: &Statement) -> Option<YulName> {
    let Statement::Assign(assignment) = statement else {
        return None;
    };
    match (assignment.targets.as_slice(), &assignment.value) {
        ([target], Expression::Identifier(value)) if target.name == value.name => Some(target.name),
        _ => None,
    }
}

fn declared_with_value(statement: &Statement) -> Option<YulName> {
    let Statement::Let(VariableDeclaration { variables, value: Some(_), .. }) = statement else {
        return None;
    };
    match variables.as_slice() {
        [variable] => Some(variable.name),
        _ => None,
    }
}

/// The two variables of `let old := E` followed by `variable := old` or `let variable := old`.
/// Of two declarations, the second must be the one that is assigned to more often.
fn copied(first: &Statement, second: &Statement, n_assignments: &[u32]) -> Option<(Identifier, Identifier)> {
    let Statement::Let(VariableDeclaration { variables, value: Some(_), .. }) = first else {
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
