//! Tests against zero, and branches on them.
//!
//! * `ISZERO ISZERO` after a comparison or before `ISZERO` or a branch → nothing.
//! * `EQ ISZERO` before a branch → `SUB`; `SUB ISZERO`, `XOR ISZERO` → `EQ`.
//! * `PUSH c LT ISZERO` → `PUSH c+1 GT`, and likewise for the other comparisons, also with a copy or leaf on the
//!   constant: at most is less than one more.
//! * `PUSH 0 EQ`, `PUSH 1 GT` → `ISZERO`; `PUSH 0 LT` before a branch or `ISZERO` → nothing.
//! * A branch on a constant → a jump or nothing.

use super::facts::{constant, dup_depth, is_boolean, is_movable_leaf, opcode};
use super::{Rewrite, last, op};
use crate::passes::encode_constants::best_cost;
use crate::passes::pass::PassContext;
use crate::program::{Item, ItemKind};
use cairn_evm::{Cost, Opcode, Word, word};

pub(super) fn apply(items: &[Item], cx: &PassContext) -> Option<Rewrite> {
    match opcode(items.last()?.kind)? {
        Opcode::JUMPI => constant_branch(items).or_else(|| branch(items)),
        Opcode::ISZERO => {
            double_negation(items).or_else(|| negated(items)).or_else(|| negated_comparison(items, cx))
        }
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

fn negated_comparison(items: &[Item], cx: &PassContext) -> Option<Rewrite> {
    let [top, comparison, _] = last(items)?;
    let comparison = opcode(*comparison)?;
    let cost = |word: Word| best_cost(word, cx);
    let pays = |old: Word, new: Word| {
        let before = cost(old) + Cost::of_op(Opcode::ISZERO, cx.fork);
        cx.cost.weigh(cost(new)) < cx.cost.weigh(before)
    };
    if let Some(word) = constant(*top) {
        let (opposite, new) = without_equality(comparison, word, Operand::First)?;
        return pays(word, new).then(|| Rewrite::new(3, [ItemKind::Push(new), op(opposite)]))?;
    }
    let is_apart = is_movable_leaf(*top) || dup_depth(*top).is_some_and(|depth| depth > 1);
    let [below, ..] = last::<4>(items)?;
    let word = constant(*below).filter(|_| is_apart)?;
    let (opposite, new) = without_equality(comparison, word, Operand::Second)?;
    pays(word, new).then(|| Rewrite::new(4, [ItemKind::Push(new), *top, op(opposite)]))?
}

/// An operand of a comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    First,
    Second,
}

/// The comparison with another word in the place of `word` that holds where one fails.
fn without_equality(comparison: Opcode, word: Word, place: Operand) -> Option<(Opcode, Word)> {
    let (opposite, is_less, least, most) = match comparison {
        Opcode::LT => (Opcode::GT, true, Word::ZERO, Word::MAX),
        Opcode::GT => (Opcode::LT, false, Word::ZERO, Word::MAX),
        Opcode::SLT => (Opcode::SGT, true, word::MIN_SIGNED, word::MAX_SIGNED),
        Opcode::SGT => (Opcode::SLT, false, word::MIN_SIGNED, word::MAX_SIGNED),
        _ => return None,
    };
    // Below is not at least, which is above one less; a first operand has it the other way round.
    match is_less == (place == Operand::First) {
        true => (word != most).then(|| (opposite, word.wrapping_add(Word::ONE))),
        false => (word != least).then(|| (opposite, word.wrapping_sub(Word::ONE))),
    }
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
        expect_kept("2 GT");
    }

    #[test]
    fn at_most_is_less_than_one_more() {
        expect_rewritten("1 LT ISZERO", "2 GT");
        expect_rewritten("9 GT ISZERO", "8 LT");
        expect_rewritten("9 DUP2 LT ISZERO", "8 DUP2 GT");
        expect_rewritten("9 CALLVALUE GT ISZERO", "10 CALLVALUE LT");
        expect_rewritten("9 SLT ISZERO", "10 SGT");
        expect_kept("0 SGT ISZERO");
        expect_rewritten("MAX CALLVALUE SGT ISZERO", "0 CALLVALUE SLT");
        expect_kept("MAX LT ISZERO");
        expect_kept("9 ADD CALLVALUE LT ISZERO");
        expect_rewritten("18446744073709551616 CALLVALUE LT ISZERO", "18446744073709551615 CALLVALUE GT");
        expect_rewritten("18446744073709551615 LT ISZERO", "18446744073709551616 GT");
    }

    #[test]
    fn constant_branches() {
        expect_rewritten("0 L0 JUMPI", "");
        expect_rewritten("7 L0 JUMPI", "L0 JUMP");
        expect_kept("CALLER L0 JUMPI");
    }
}
