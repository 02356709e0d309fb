//! What stands before a loop that copies and belongs to it, and what stands behind it.

use super::{Copy, terms_of};
use crate::tree::{Expr, For, Stmt, Var};
use cairn_evm::{Opcode, Word};

/// Statements between the start of a counter and its loop.
const MAX_BETWEEN: usize = 8;

/// What a variable is where a loop begins.
pub(super) struct Start {
    /// The statement that says so; the loop's own place if the loop does.
    pub(super) place: usize,
    pub(super) value: Expr,
}

/// What a variable of a loop is at first, if that is said right before it and may as well be said in it.
pub(super) fn start_of(before: &[Stmt], of: &For, counter: Var) -> Option<Start> {
    let own = of.init.iter().map(|stmt| (before.len(), stmt));
    let near = before.iter().enumerate().skip(before.len().saturating_sub(MAX_BETWEEN));
    let mut set: Vec<Var> = Vec::new();
    for (place, stmt) in near.chain(own).rev() {
        let value = match stmt {
            Stmt::Assign { vars, value, .. } if vars.as_slice() == [counter] => {
                let is_same = !set.iter().any(|var| value.reads(*var)) && !value.reads(counter);
                terms_of(value, &mut Vec::new())?;
                return is_same.then(|| Start { place, value: value.clone() });
            }
            Stmt::Assign { vars, value, .. } if !vars.contains(&counter) => {
                set.extend(vars);
                value
            }
            Stmt::Do(value) => value,
            _ => return None,
        };
        if value.reads(counter) {
            return None;
        }
    }
    None
}

/// What comes behind a copy without the zeros that are stored behind its last byte, where the text asks whether
/// that lies within a word; nothing if it does not.
pub(super) fn zeros_behind(copy: &Copy, behind: &[Stmt]) -> Option<Vec<Stmt>> {
    let (Stmt::If(condition, body, _), rest) = behind.split_first()? else { return None };
    let counter = Expr::Var(copy.counter?);
    let asks = |condition: &Expr| {
        condition.args_of(Opcode::GT) == Some(&[counter.clone(), copy.limit.clone()])
            || condition.args_of(Opcode::LT) == Some(&[copy.limit.clone(), counter.clone()])
    };
    let is_clear = |stmt: &Stmt| {
        matches!(stmt, Stmt::Do(value) if value.args_of(Opcode::MSTORE)
            .is_some_and(|args| args[1].as_number() == Some(Word::ZERO)))
    };
    if asks(condition) {
        let (first, more) = body.split_first()?;
        let is_same = more.is_empty() || without_leave(more) == without_leave(rest);
        return (is_clear(first) && is_same).then(|| rest.to_vec());
    }
    let [inner] = condition.args_of(Opcode::ISZERO)? else { return None };
    let (first, rest) = rest.split_first().filter(|_| asks(inner))?;
    let is_same = without_leave(body) == without_leave(rest);
    (is_clear(first) && is_same).then(|| rest.to_vec())
}

/// Statements without the end of a function that they may come to anyhow.
pub(super) fn without_leave(stmts: &[Stmt]) -> &[Stmt] {
    match stmts.split_last() {
        Some((Stmt::Leave, stmts)) => stmts,
        _ => stmts,
    }
}
