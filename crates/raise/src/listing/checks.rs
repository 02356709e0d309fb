//! Checks first: where all that is left when a condition does not hold is a failure, the failure stands in the
//! branch and the rest behind it, as the source has `require`. And truths in one: what is one truth or, if
//! that does not hold, another one, as the source has `||` and `&&`.

use super::short::ends_in_failure;
use crate::structure::negation;
use crate::tree::{Callee, Expr, Stmt, Var};
use cairn_evm::{Opcode, Word};
use cairn_ir::builder::opcode_result_type;
use cairn_ir::{Func, Op, Type};
use cairn_yul::Builtin;
use rustc_hash::FxHashSet;

/// Statements of a failure.
const MAX_STATEMENTS: usize = 12;

/// Turns branches around that stand before a failure. `failing` are functions that do not come back.
pub(super) fn checks_first(stmts: &mut Vec<Stmt>, failing: &FxHashSet<Func>) {
    join_truths(stmts, &mut FxHashSet::default());
    fail_first(stmts, failing);
}

fn fail_first(stmts: &mut Vec<Stmt>, failing: &FxHashSet<Func>) {
    while let Some(place) = last_branch(stmts, failing) {
        let failure = stmts.split_off(place + 1);
        if let Some(Stmt::If(condition, body, at)) = stmts.pop() {
            stmts.push(Stmt::If(negation(condition), failure, at));
            stmts.extend(body);
        }
    }
    for stmt in stmts {
        stmt.lists_mut().into_iter().for_each(|list| fail_first(list, failing));
    }
}

/// Writes truths of two as one; `truths` are variables that are truths as far as the text goes.
fn join_truths(stmts: &mut [Stmt], truths: &mut FxHashSet<Var>) {
    for stmt in stmts {
        stmt.lists_mut().into_iter().for_each(|list| join_truths(list, truths));
        if let Some(whole) = truth_of_two(stmt, truths) {
            *stmt = whole;
        }
        if let Stmt::Assign { vars, value, .. } = stmt
            && let [var] = vars.as_slice()
        {
            match is_truth(value, truths) {
                true => truths.insert(*var),
                false => truths.remove(var),
            };
        }
    }
}

/// A branch that control does not come back from, with nothing behind it but a failure.
fn last_branch(stmts: &[Stmt], failing: &FxHashSet<Func>) -> Option<usize> {
    let place = stmts.iter().rposition(|stmt| !matches!(stmt, Stmt::Do(_) | Stmt::Assign { .. }))?;
    let Stmt::If(_, body, _) = &stmts[place] else { return None };
    let tail = &stmts[place + 1..];
    let is_failure = |list: &[Stmt]| list.len() <= MAX_STATEMENTS && ends_in_failure(list, failing);
    (!completes(body, failing) && is_failure(tail) && !is_failure(body)).then_some(place)
}

/// True unless control certainly does not get behind the statements.
fn completes(stmts: &[Stmt], failing: &FxHashSet<Func>) -> bool {
    match stmts.last() {
        Some(Stmt::Leave | Stmt::Break | Stmt::Continue | Stmt::Go(_)) => false,
        Some(Stmt::Switch(_, cases, default, _)) => {
            default.is_empty()
                || completes(default, failing)
                || cases.iter().any(|(_, body)| completes(body, failing))
        }
        _ => !super::short::ends(stmts, failing),
    }
}

/// `switch a case 0 { x := b } default { x := a }` is `x := or(a, b)`, turned around `and(a, b)`. Both must be
/// truths, and computing the other one do nothing else.
fn truth_of_two(stmt: &Stmt, truths: &FxHashSet<Var>) -> Option<Stmt> {
    let Stmt::Switch(condition, cases, yes, _) = stmt else { return None };
    let ([(Word::ZERO, no)], [yes]) = (cases.as_slice(), yes.as_slice()) else { return None };
    let [no] = no.as_slice() else { return None };
    let given = |stmt: &Stmt| match stmt {
        Stmt::Assign { vars, value, .. } if vars.len() == 1 => Some((vars[0], value.clone())),
        _ => None,
    };
    let ((var, yes), (other, no)) = (given(yes)?, given(no)?);
    let (decides, [yes, no]) = match condition.args_of(Opcode::ISZERO) {
        Some([inner]) => (inner.clone(), [no, yes]),
        _ => (condition.clone(), [yes, no]),
    };
    let is_zero = |value: &Expr| *value == decides || value.as_number() == Some(Word::ZERO);
    let is_one = |value: &Expr| *value == decides || value.as_number() == Some(Word::from(1));
    let is_fine = |value: &Expr| is_plain(value) && is_truth(value, truths);
    let whole = match () {
        () if var != other || !is_truth(&decides, truths) => return None,
        () if is_one(&yes) && is_fine(&no) => Expr::evm(Opcode::OR, vec![decides, no]),
        () if is_zero(&no) && is_fine(&yes) => Expr::evm(Opcode::AND, vec![decides, yes]),
        () => return None,
    };
    Some(Stmt::assign(var, whole))
}

/// True for what only reads.
fn is_plain(value: &Expr) -> bool {
    match value {
        Expr::Number(_) | Expr::Text(_) | Expr::Var(_) => true,
        Expr::Call(Callee::Builtin(Builtin::Evm(opcode)), args, _) => {
            Op::Evm(*opcode).effects().is_removable() && args.iter().all(is_plain)
        }
        Expr::Call(..) => false,
    }
}

fn is_truth(value: &Expr, truths: &FxHashSet<Var>) -> bool {
    match value {
        Expr::Var(var) => truths.contains(var),
        Expr::Call(Callee::Builtin(Builtin::Evm(Opcode::OR | Opcode::AND)), args, _) => {
            args.iter().all(|arg| is_truth(arg, truths))
        }
        Expr::Call(Callee::Builtin(Builtin::Evm(opcode)), ..) => opcode_result_type(*opcode) == Type::Bool,
        _ => false,
    }
}
