//! Operations on constants.
//!
//! `PUSH … op` → `PUSH result` for every opcode that computes from its operands alone, where the
//! result is not dearer than its computation, each constant in its cheapest encoding.

use super::facts::{constant, opcode};
use super::{Rewrite, op};
use crate::passes::encode_constants::best_cost;
use crate::passes::pass::PassContext;
use crate::program::{Item, ItemKind};
use cairn_evm::Cost;
use cairn_evm::{Opcode, Word, gas, word};
use smallvec::SmallVec;

pub(super) fn apply(items: &[Item], cx: &PassContext) -> Option<Rewrite> {
    let (operation, before) = items.split_last()?;
    let opcode = opcode(operation.kind)?;
    let operands = usize::from(opcode.info()?.inputs);
    if !(1..=3).contains(&operands) || operands > before.len() {
        return None;
    }
    let pushed = &before[before.len() - operands..];
    let words = operand_words(pushed)?;
    let result = word::eval(opcode, &words)?;
    let copies = pushed.iter().filter(|item| item.kind == op(Opcode::DUP1)).count() as u64;
    let pushes = pushed.iter().filter_map(|item| constant(item.kind)).map(|word| best_cost(word, cx));
    let copied = Cost::of_op(Opcode::DUP1, cx.fork);
    let computed = pushes.sum::<Cost>()
        + Cost::new(copies * copied.gas, copies * copied.bytes)
        + operation_cost(opcode, &words, cx);
    let pays = cx.cost.weigh(best_cost(result, cx)) <= cx.cost.weigh(computed);
    pays.then(|| Rewrite::new(operands + 1, [ItemKind::Push(result)]))?
}

/// What pushes and copies of them leave, top first.
fn operand_words(pushed: &[Item]) -> Option<SmallVec<[Word; 3]>> {
    let mut words: SmallVec<[Word; 3]> = SmallVec::new();
    for item in pushed {
        let copied = words.last().copied().filter(|_| item.kind == op(Opcode::DUP1));
        words.push(copied.or_else(|| constant(item.kind))?);
    }
    words.reverse();
    Some(words)
}

fn operation_cost(opcode: Opcode, words: &[Word], cx: &PassContext) -> Cost {
    let mut cost = Cost::of_op(opcode, cx.fork);
    if let (Opcode::EXP, [_, exponent]) = (opcode, words) {
        cost.gas += gas::exp_gas(exponent.byte_len() as u64, cx.fork);
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect_kept, expect_rewritten};

    #[test]
    fn folds_in_the_order_of_the_stack() {
        expect_rewritten("3 5 SUB", "2");
        expect_rewritten("7 2 SHL", "28");
        expect_rewritten("7 5 4 MULMOD", "6");
        expect_rewritten("0 NOT", "MAX");
        expect_rewritten("1 2 ADD 3 MUL", "9");
    }

    #[test]
    fn keeps_what_is_no_computation_on_constants() {
        expect_kept("CALLER 5 SUB");
        expect_kept("5 SLOAD");
        expect_kept("3 4 MSTORE");
        expect_kept("3 4 KECCAK256");
    }

    #[test]
    fn keeps_results_that_are_dearer_than_their_computation() {
        let wide = "1234567890123456789012345678901234567890123456789";
        expect_kept(&format!("{wide} DUP1 MUL"));
        expect_rewritten(&format!("{wide} DUP1 XOR"), "0");
    }
}
