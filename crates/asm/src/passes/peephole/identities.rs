//! Operations that return an operand, or the same word for all operands.
//!
//! * `NOT NOT` → nothing.
//! * `PUSH 0` and `ADD`, `OR`, `XOR`, `SHL`, `SHR`, `SAR`; `PUSH 1 MUL`; `PUSH 2²⁵⁶−1 AND`;
//!   `PUSH k SIGNEXTEND` with k ≥ 31 → nothing.
//! * `PUSH 2²⁵⁶−1 XOR` → `NOT`.
//! * `PUSH 0` and `MUL`, `AND`, `DIV`, `MOD`, `GT` → `POP PUSH 0`; `PUSH 2²⁵⁶−1 OR` likewise.
//! * `PUSH 0 SWAP1 SUB`, `PUSH 1 SWAP1 DIV`, `… SDIV`, `… EXP` → nothing.
//! * `ADDRESS BALANCE` → `SELFBALANCE`, where the fork has it (EIP-1884).
//! * `PUSH a op PUSH b op` → `PUSH (a op b) op` for associative, commutative `op`.

use super::facts::{constant, opcode};
use super::{Rewrite, last, op};
use crate::passes::encode_constants::best_cost;
use crate::passes::pass::PassContext;
use crate::program::{Item, ItemKind};
use cairn_evm::Cost;
use cairn_evm::{Opcode, Word, word};

pub(super) fn apply(items: &[Item], cx: &PassContext) -> Option<Rewrite> {
    let operation = opcode(items.last()?.kind)?;
    double_complement(items)
        .or_else(|| own_balance(items, cx))
        .or_else(|| constant_on_top(items, operation))
        .or_else(|| constant_below(items, operation))
        .or_else(|| reassociated(items, cx))
}

fn double_complement(items: &[Item]) -> Option<Rewrite> {
    let [ItemKind::Op(Opcode::NOT), ItemKind::Op(Opcode::NOT)] = last(items)? else { return None };
    Rewrite::new(2, [])
}

fn own_balance(items: &[Item], cx: &PassContext) -> Option<Rewrite> {
    let [ItemKind::Op(Opcode::ADDRESS), ItemKind::Op(Opcode::BALANCE)] = last(items)? else { return None };
    Opcode::SELFBALANCE.exists_in(cx.fork).then(|| Rewrite::new(2, [op(Opcode::SELFBALANCE)]))?
}

fn constant_on_top(items: &[Item], operation: Opcode) -> Option<Rewrite> {
    let [pushed, _] = last(items)?;
    let value = constant(*pushed)?;
    let absorbs = || Rewrite::new(2, [op(Opcode::POP), ItemKind::Push(value)]);
    match operation {
        Opcode::ADD | Opcode::OR | Opcode::XOR | Opcode::SHL | Opcode::SHR | Opcode::SAR
            if value.is_zero() =>
        {
            Rewrite::new(2, [])
        }
        Opcode::MUL if value == Word::ONE => Rewrite::new(2, []),
        Opcode::AND if value == Word::MAX => Rewrite::new(2, []),
        Opcode::SIGNEXTEND if value >= Word::from(31) => Rewrite::new(2, []),
        Opcode::XOR if value == Word::MAX => Rewrite::new(2, [op(Opcode::NOT)]),
        Opcode::MUL | Opcode::AND | Opcode::DIV | Opcode::MOD | Opcode::GT if value.is_zero() => absorbs(),
        Opcode::OR if value == Word::MAX => absorbs(),
        _ => None,
    }
}

fn constant_below(items: &[Item], operation: Opcode) -> Option<Rewrite> {
    let [pushed, ItemKind::Op(Opcode::SWAP1), _] = last(items)? else { return None };
    let neutral = match operation {
        Opcode::SUB => Word::ZERO,
        Opcode::DIV | Opcode::SDIV | Opcode::EXP => Word::ONE,
        _ => return None,
    };
    (constant(*pushed)? == neutral).then(|| Rewrite::new(3, []))?
}

fn reassociated(items: &[Item], cx: &PassContext) -> Option<Rewrite> {
    let [first, inner, second, outer] = last(items)?;
    let operation = opcode(*outer).filter(|_| inner == outer)?;
    if ![Opcode::ADD, Opcode::MUL, Opcode::AND, Opcode::OR, Opcode::XOR].contains(&operation) {
        return None;
    }
    let (a, b) = (constant(*first)?, constant(*second)?);
    let joined = word::eval(operation, &[a, b])?;
    let before = best_cost(a, cx) + best_cost(b, cx) + Cost::of_op(operation, cx.fork);
    let pays = cx.cost.weigh(best_cost(joined, cx)) <= cx.cost.weigh(before);
    pays.then(|| Rewrite::new(4, [ItemKind::Push(joined), *outer]))?
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect_kept, expect_rewritten};

    #[test]
    fn neutral_constants() {
        expect_rewritten("NOT NOT", "");
        expect_rewritten("0 ADD", "");
        expect_rewritten("0 SHR", "");
        expect_rewritten("1 MUL", "");
        expect_rewritten("MAX AND", "");
        expect_rewritten("31 SIGNEXTEND", "");
        expect_rewritten("0 SWAP1 SUB", "");
        expect_rewritten("1 SWAP1 DIV", "");
        expect_kept("0 SUB");
        expect_kept("1 DIV");
        expect_kept("30 SIGNEXTEND");
        expect_kept("1 SWAP1 SMOD");
    }

    #[test]
    fn own_balances() {
        expect_rewritten("ADDRESS BALANCE", "SELFBALANCE");
        expect_kept("CALLER BALANCE");
    }

    #[test]
    fn absorbing_constants() {
        expect_rewritten("MAX XOR", "NOT");
        expect_rewritten("0 AND", "POP 0");
        expect_rewritten("0 GT", "POP 0");
        expect_rewritten("MAX OR", "POP MAX");
        expect_kept("0 LT");
        expect_kept("MAX ADD");
    }

    #[test]
    fn reassociation() {
        expect_rewritten("4 ADD 5 ADD", "9 ADD");
        expect_rewritten("255 AND 15 AND", "15 AND");
        expect_kept("4 ADD 5 MUL");
        expect_kept("4 SUB 5 SUB");
    }
}
