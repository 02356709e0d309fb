//! Words that are made and thrown away.
//!
//! * A producer (`DUP`, push, leaf opcode) and `POP` → nothing.
//! * An operation without effects and `POP` → a `POP` for each operand, where that is cheaper.
//! * `SWAPn` before at least `n + 1` `POP`s → the `POP`s.
//! * `SWAPn POP…` twice, each keeping the top and dropping the words below → once.
//! * A producer under `SWAP1 POP` → `POP` and the producer.

use super::facts::{dup_depth, is_leaf, is_movable_leaf, opcode, removable_inputs, swap_depth};
use super::{Rewrite, last, op};
use crate::passes::cost::item_cost;
use crate::passes::pass::PassContext;
use crate::program::{Item, ItemKind};
use cairn_evm::Cost;
use cairn_evm::Opcode;

/// The deepest `SWAP`.
const MAX_DEPTH: usize = 16;

pub(super) fn apply(items: &[Item], cx: &PassContext) -> Option<Rewrite> {
    if !is_pop(items.last()?) {
        return None;
    }
    dropped_producer(items)
        .or_else(|| dropped_operation(items, cx))
        .or_else(|| dropped_below(items))
        .or_else(|| swapped_then_dropped(items))
}

fn dropped_producer(items: &[Item]) -> Option<Rewrite> {
    let [producer, _] = last(items)?;
    let drops = is_leaf(*producer) || dup_depth(*producer).is_some();
    drops.then(|| Rewrite::new(2, []))?
}

fn dropped_operation(items: &[Item], cx: &PassContext) -> Option<Rewrite> {
    let [operation, pop] = last(items)?;
    let operands = removable_inputs(opcode(*operation)?)?;
    let before = item_cost(*operation, cx.fork) + item_cost(*pop, cx.fork);
    let after: Cost = (0..operands).map(|_| item_cost(*pop, cx.fork)).sum();
    let pays = cx.cost.weigh(after) < cx.cost.weigh(before);
    pays.then(|| Rewrite::new(2, (0..operands).map(|_| *pop)))?
}

/// A producer whose word stays while the one below is dropped.
fn dropped_below(items: &[Item]) -> Option<Rewrite> {
    let [producer, ItemKind::Op(Opcode::SWAP1), pop] = last(items)? else { return None };
    let lowered = match dup_depth(*producer) {
        Some(1) => return None,
        Some(depth) => op(Opcode::dup(depth - 1)),
        None if is_movable_leaf(*producer) => *producer,
        None => return None,
    };
    Rewrite::new(3, [*pop, lowered])
}

fn swapped_then_dropped(items: &[Item]) -> Option<Rewrite> {
    let (pops, before) = trailing_pops(items)?;
    let depth = usize::from(swap_depth(before.last()?.kind)?);
    if pops == depth + 1 {
        return Rewrite::new(pops + 1, std::iter::repeat_n(op(Opcode::POP), pops));
    }
    if pops != depth {
        return None;
    }
    let (inner_pops, inner) = trailing_pops(&before[..before.len() - 1])?;
    let inner_depth = usize::from(swap_depth(inner.last()?.kind)?);
    let total = pops + inner_pops;
    if inner_depth != inner_pops || total > MAX_DEPTH {
        return None;
    }
    let swap = op(Opcode::swap(total as u8));
    Rewrite::new(total + 2, std::iter::once(swap).chain(std::iter::repeat_n(op(Opcode::POP), total)))
}

/// The number of `POP`s at the end (at least one, at most one more than a `SWAP` reaches) and what
/// stands before them.
fn trailing_pops(items: &[Item]) -> Option<(usize, &[Item])> {
    let pops = items.iter().rev().take(MAX_DEPTH + 1).take_while(|item| is_pop(item)).count();
    (pops > 0).then(|| (pops, &items[..items.len() - pops]))
}

fn is_pop(item: &Item) -> bool {
    matches!(item.kind, ItemKind::Op(Opcode::POP))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect_kept, expect_rewritten};

    #[test]
    fn dropped_producers() {
        expect_rewritten("DUP4 POP", "");
        expect_rewritten("5 POP", "");
        expect_rewritten("GAS POP", "");
        expect_rewritten("RETURNDATASIZE POP", "");
        expect_kept("MSTORE POP");
    }

    #[test]
    fn dropped_operations() {
        expect_rewritten("ISZERO POP", "POP");
        expect_rewritten("SUB POP", "POP POP");
        expect_rewritten("SLOAD POP", "POP");
        expect_rewritten("5 ADD POP", "POP");
        expect_rewritten("MULMOD POP", "POP POP POP");
        expect_kept("MLOAD POP");
        expect_kept("CALL POP");
        expect_kept("KECCAK256 POP");
    }

    #[test]
    fn swaps_of_dropped_words() {
        expect_rewritten("SWAP1 POP POP", "POP POP");
        expect_rewritten("SWAP2 POP POP POP", "POP POP POP");
        expect_kept("SWAP2 POP POP");
        expect_kept("SWAP3 POP POP");
    }

    #[test]
    fn words_dropped_below_the_top() {
        expect_rewritten("SWAP1 POP SWAP1 POP", "SWAP2 POP POP");
        expect_rewritten("SWAP2 POP POP SWAP3 POP POP POP", "SWAP5 POP POP POP POP POP");
        expect_kept("SWAP2 POP SWAP1 POP");
    }

    #[test]
    fn word_dropped_below_a_producer() {
        expect_rewritten("5 SWAP1 POP", "POP 5");
        expect_rewritten("DUP3 SWAP1 POP", "POP DUP2");
        expect_rewritten("DUP1 SWAP1 POP", "");
        expect_kept("MSIZE SWAP1 POP");
        expect_kept("DUP3 SWAP2 POP");
    }
}
