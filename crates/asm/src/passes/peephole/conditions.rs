//! Tests against zero, and branches on them.
//!
//! * `ISZERO ISZERO` after a comparison or before `ISZERO` or a branch → nothing.
//! * `EQ ISZERO` before a branch → `SUB`; `SUB ISZERO`, `XOR ISZERO` → `EQ`.
//! * `PUSH 0 EQ`, `PUSH 1 GT` → `ISZERO`; `PUSH 0 LT` before a branch or `ISZERO` → nothing.
//! * A branch on a constant → a jump or nothing.

use super::facts::{constant, is_boolean, opcode};
use super::{Rewrite, last, op};
use crate::passes::pass::PassContext;
use crate::program::{Item, ItemKind};
use cairn_evm::{Opcode, Word};

pub(super) fn apply(items: &[Item], _: &PassContext) -> Option<Rewrite> {
    match opcode(items.last()?.kind)? {
        Opcode::JUMPI => constant_branch(items).or_else(|| branch(items)),
        Opcode::ISZERO => double_negation(items).or_else(|| negated(items)),
        Opcode::EQ | Opcode::GT => zero_comparison(items),
        _ => None,
    }
}

fn constant_branch(items: &[Item]) -> Option<Rewrite> {
    let [condition, target @ ItemKind::PushLabel(_), _] = last(items)? else { return None };
    if constant(*condition)?.is_zero() {
        return Rewrite::new(3, []);
    }
    Rewrite::new(3, [*target, op(Opcode::JUMP)])
}

/// Operations on the condition that don't change whether it is zero.
fn branch(items: &[Item]) -> Option<Rewrite> {
    let [first, second, target @ ItemKind::PushLabel(_), jump] = last(items)? else { return None };
    match (opcode(*first), opcode(*second)?) {
        (Some(Opcode::ISZERO), Opcode::ISZERO) => Rewrite::new(4, [*target, *jump]),
        (Some(Opcode::EQ), Opcode::ISZERO) => Rewrite::new(4, [op(Opcode::SUB), *target, *jump]),
        (_, Opcode::LT) if constant(*first)?.is_zero() => Rewrite::new(4, [*target, *jump]),
        _ => None,
    }
}

fn double_negation(items: &[Item]) -> Option<Rewrite> {
    let [first, second, _] = last(items)?;
    if opcode(*second)? != Opcode::ISZERO {
        let is_test = opcode(*second)? == Opcode::LT && constant(*first)?.is_zero();
        return is_test.then(|| Rewrite::new(3, [op(Opcode::ISZERO)]))?;
    }
    is_boolean(opcode(*first)?).then(|| Rewrite::new(3, [*first]))?
}

fn negated(items: &[Item]) -> Option<Rewrite> {
    let [difference, _] = last(items)?;
    let is_difference = [Opcode::SUB, Opcode::XOR].contains(&opcode(*difference)?);
    is_difference.then(|| Rewrite::new(2, [op(Opcode::EQ)]))?
}

fn zero_comparison(items: &[Item]) -> Option<Rewrite> {
    let [word, comparison] = last(items)?;
    let zero_only = match opcode(*comparison)? {
        Opcode::EQ => constant(*word)?.is_zero(),
        Opcode::GT => constant(*word)? == Word::ONE,
        _ => false,
    };
    zero_only.then(|| Rewrite::new(2, [op(Opcode::ISZERO)]))?
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect_kept, expect_rewritten};

    #[test]
    fn double_negations() {
        expect_rewritten("LT ISZERO ISZERO", "LT");
        expect_rewritten("ISZERO ISZERO ISZERO", "ISZERO");
        expect_rewritten("ISZERO ISZERO L0 JUMPI", "L0 JUMPI");
        expect_kept("ISZERO ISZERO");
        expect_kept("ADD ISZERO ISZERO");
        expect_kept("ISZERO L0 JUMPI");
    }

    #[test]
    fn equality() {
        expect_rewritten("EQ ISZERO L0 JUMPI", "SUB L0 JUMPI");
        expect_rewritten("SUB ISZERO", "EQ");
        expect_rewritten("XOR ISZERO", "EQ");
        expect_rewritten("0 EQ", "ISZERO");
        expect_kept("EQ ISZERO");
        expect_kept("1 EQ");
    }

    #[test]
    fn comparisons_with_small_constants() {
        expect_rewritten("1 GT", "ISZERO");
        expect_rewritten("0 LT L0 JUMPI", "L0 JUMPI");
        expect_rewritten("0 LT ISZERO", "ISZERO");
        expect_kept("0 LT");
        expect_kept("1 LT ISZERO");
        expect_kept("2 GT");
    }

    #[test]
    fn constant_branches() {
        expect_rewritten("0 L0 JUMPI", "");
        expect_rewritten("7 L0 JUMPI", "L0 JUMP");
        expect_kept("CALLER L0 JUMPI");
    }
}
