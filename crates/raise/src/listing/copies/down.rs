//! Loops that copy while a word is left, and what is left behind them: Solidity's before 0.7.
//!
//! `for { } iszero(lt(n, 32)) { … } { mstore(to, mload(from)) … }` takes 32 from `n` in each round and moves both
//! pointers; behind it the last bytes are put before what stands there:
//! `mask := sub(exp(256, sub(32, n)), 1)  mstore(to, or(and(mload(from), not(mask)), and(mload(to), mask)))`.

use super::up::step_of;
use super::{Copy, WORD};
use crate::tree::{Expr, For, Repeats, Stmt, Var};
use cairn_evm::{Opcode, Word};

/// What a loop and the statements behind it copy.
pub(super) fn copy_of(of: &For, behind: &[Stmt]) -> Option<Copy> {
    let [inner] = of.condition.args_of(Opcode::ISZERO)? else { return None };
    let [Expr::Var(left), word] = inner.args_of(Opcode::LT)? else { return None };
    if word.as_number() != Some(Word::from(WORD)) || of.repeats != Repeats::Loop {
        return None;
    }
    let (mut moved, mut is_counted, mut store) = (Vec::new(), false, None);
    for stmt in of.body.iter().chain(&of.post) {
        match stmt {
            Stmt::Do(value) if store.is_none() => {
                let [Expr::Var(to), value] = value.args_of(Opcode::MSTORE)? else { return None };
                let [Expr::Var(from)] = value.args_of(Opcode::MLOAD)? else { return None };
                store = Some((*to, *from));
            }
            Stmt::Assign { vars, value, .. } if store.is_some() => match vars.as_slice() {
                [var] if var == left && takes_word(*var, value) => is_counted = true,
                [var] if step_of(vars, value) == Some(WORD) => moved.push(*var),
                _ => return None,
            },
            _ => return None,
        }
    }
    let (to, from) = store.filter(|_| is_counted)?;
    moved.sort_unstable();
    let mut pointers = [to, from];
    pointers.sort_unstable();
    let mask = mask_of_rest(behind, *left, (to, from)).filter(|_| moved == pointers)?;
    let steps = vec![(to, WORD), (from, WORD), (*left, WORD)];
    let inner = vec![to, from, *left, mask];
    let [to, from, bytes] = [to, from, *left].map(Expr::Var);
    Some(Copy { to, from, limit: bytes.clone(), bytes, steps, counter: None, inner, behind: 2 })
}

/// `left := add(left, -32)`
fn takes_word(left: Var, value: &Expr) -> bool {
    let less = Word::from(WORD).wrapping_neg();
    let (sum, difference) = (value.args_of(Opcode::ADD), value.args_of(Opcode::SUB));
    let own = Expr::Var(left);
    sum.is_some_and(|args| {
        *args == [own.clone(), Expr::Number(less)] || *args == [Expr::Number(less), own.clone()]
    }) || difference.is_some_and(|args| *args == [own.clone(), Expr::Number(Word::from(WORD))])
}

/// The variable with the mask that the last bytes are put with, by the two statements behind a loop.
fn mask_of_rest(behind: &[Stmt], left: Var, (to, from): (Var, Var)) -> Option<Var> {
    let [Stmt::Assign { vars, value: mask, .. }, Stmt::Do(store), ..] = behind else { return None };
    let ([var], [power, one]) = (vars.as_slice(), mask.args_of(Opcode::SUB)?) else { return None };
    let [base, exponent] = power.args_of(Opcode::EXP)? else { return None };
    let word = Expr::Number(Word::from(WORD));
    let is_mask = one.as_number() == Some(Word::from(1))
        && base.as_number() == Some(Word::from(256))
        && exponent.args_of(Opcode::SUB) == Some(&[word, Expr::Var(left)]);
    let [place, value] = store.args_of(Opcode::MSTORE)? else { return None };
    let [a, b] = value.args_of(Opcode::OR)? else { return None };
    let is_part = |value: &Expr, pointer: Var, mask: &Expr| {
        let load = Expr::evm(Opcode::MLOAD, vec![Expr::Var(pointer)]);
        value.args_of(Opcode::AND).is_some_and(|args| {
            *args == [load.clone(), mask.clone()] || *args == [mask.clone(), load.clone()]
        })
    };
    let (mask, not) = (Expr::Var(*var), Expr::evm(Opcode::NOT, vec![Expr::Var(*var)]));
    let is_both = |a: &Expr, b: &Expr| is_part(a, from, &not) && is_part(b, to, &mask);
    (is_mask && *place == Expr::Var(to) && (is_both(a, b) || is_both(b, a))).then_some(*var)
}
