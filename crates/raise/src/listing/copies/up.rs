//! Loops whose counter goes up to a length.

use super::{Copy, WORD, sum, terms_of};
use crate::tree::{Expr, For, Repeats, Stmt, Var};
use cairn_evm::{Opcode, Word};
use rustc_hash::FxHashMap;

/// What a loop copies, if it does nothing else.
pub(super) fn copy_of(of: &For) -> Option<Copy> {
    let [Expr::Var(counter), limit] = of.condition.args_of(Opcode::LT)? else { return None };
    let (mut steps, mut store, mut loaded) = (Vec::new(), None, None);
    for stmt in of.body.iter().chain(&of.post) {
        match stmt {
            Stmt::Assign { vars, value, .. } => match (vars.as_slice(), step_of(vars, value)) {
                ([var], Some(step)) if store.is_some() => steps.push((*var, step)),
                ([var], None) if loaded.is_none() && store.is_none() => {
                    loaded = Some((*var, value.args_of(Opcode::MLOAD)?.first()?));
                }
                _ => return None,
            },
            Stmt::Do(value) if store.is_none() => {
                let [to, value] = value.args_of(Opcode::MSTORE)? else { return None };
                let from = match (value, loaded) {
                    (Expr::Var(var), Some((given, from))) if *var == given => from,
                    (value, None) => value.args_of(Opcode::MLOAD)?.first()?,
                    _ => return None,
                };
                store = Some((to, from));
            }
            _ => return None,
        }
    }
    let by_var: FxHashMap<Var, u64> = steps.iter().copied().collect();
    let is_fixed = matches!(limit, Expr::Number(_))
        || matches!(limit, Expr::Var(var) if !by_var.contains_key(var) && loaded.is_none_or(|(own, _)| own != *var));
    let (to, from) =
        store.filter(|_| is_fixed && of.repeats == Repeats::Loop && by_var.len() == steps.len())?;
    let count = by_var.get(counter).copied().filter(|step| [1, WORD].contains(step))?;
    let bytes = match count {
        WORD => limit.clone(),
        _ => Expr::evm(Opcode::MUL, vec![limit.clone(), Expr::Number(Word::from(WORD))]),
    };
    let at_start = |place: &Expr| first_place(place, *counter, &by_var);
    let (to, from) = (at_start(to)?, at_start(from)?);
    let is_read = |expr: &Expr| loaded.is_some_and(|(var, _)| expr.reads(var));
    (!is_read(&to) && !is_read(&from)).then(|| Copy {
        to,
        from,
        bytes,
        steps,
        counter: Some(*counter),
        limit: limit.clone(),
        inner: loaded.map(|(var, _)| var).into_iter().collect(),
        behind: 0,
    })
}

/// What `var := add(var, step)` adds.
pub(super) fn step_of(vars: &[Var], value: &Expr) -> Option<u64> {
    let ([var], [a, b]) = (vars, value.args_of(Opcode::ADD)?) else { return None };
    match (a, b) {
        (Expr::Var(own), Expr::Number(step)) | (Expr::Number(step), Expr::Var(own)) if own == var => {
            u64::try_from(*step).ok()
        }
        _ => None,
    }
}

/// Where a place is in the first round, if each round moves it by a word.
fn first_place(place: &Expr, counter: Var, steps: &FxHashMap<Var, u64>) -> Option<Expr> {
    let mut terms = Vec::new();
    terms_of(place, &mut terms)?;
    let moving: Vec<usize> =
        (0..terms.len()).filter(|index| steps.keys().any(|var| terms[*index].reads(*var))).collect();
    let [moving] = moving.as_slice() else { return None };
    let word = Expr::Number(Word::from(WORD));
    let start = match terms[*moving] {
        Expr::Var(var) if steps.get(var) == Some(&WORD) => match *var == counter {
            true => Expr::Number(Word::ZERO),
            false => Expr::Var(*var),
        },
        term => {
            let is_words = steps.get(&counter) == Some(&1)
                && (*term == Expr::evm(Opcode::SHL, vec![Expr::Number(Word::from(5)), Expr::Var(counter)])
                    || *term == Expr::evm(Opcode::MUL, vec![Expr::Var(counter), word.clone()])
                    || *term == Expr::evm(Opcode::MUL, vec![word, Expr::Var(counter)]));
            is_words.then_some(Expr::Number(Word::ZERO))?
        }
    };
    let others = (0..terms.len()).filter(|index| index != moving).map(|index| terms[index].clone());
    Some(others.chain([start]).reduce(sum).unwrap_or(Expr::Number(Word::ZERO)))
}
