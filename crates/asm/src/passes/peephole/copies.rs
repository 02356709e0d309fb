//! The same word twice.
//!
//! * The same push twice → push and `DUP1`, where the push is longer than one byte. There may be
//!   `DUP1`s in between.
//! * A leaf opcode of 2 gas (`CALLER`, `PUSH0`, …) and `DUP1` → the opcode twice.

use super::facts::is_movable_leaf;
use super::{Rewrite, last, op};
use crate::passes::cost::item_cost;
use crate::passes::pass::PassContext;
use crate::program::{Item, ItemKind};
use cairn_evm::Opcode;

/// More copies than this in a row are not looked through.
const MAX_RUN: usize = 16;

pub(super) fn apply(items: &[Item], cx: &PassContext) -> Option<Rewrite> {
    let weight = |kind: ItemKind| cx.cost.weigh(item_cost(kind, cx.fork));
    let copy = op(Opcode::DUP1);
    let [first, second] = last(items)?;
    if is_copy(second) {
        let pays = is_movable_leaf(*first) && weight(*first) < weight(copy);
        return pays.then(|| Rewrite::new(2, [*first, *first]))?;
    }
    let mut before = items[..items.len() - 1].iter().rev().take(MAX_RUN).map(|item| &item.kind);
    let copied = before.find(|kind| !is_copy(kind))?;
    let pays = copied == second && is_movable_leaf(*second) && weight(copy) < weight(*second);
    pays.then(|| Rewrite::new(1, [copy]))?
}

fn is_copy(kind: &ItemKind) -> bool {
    matches!(kind, ItemKind::Op(Opcode::DUP1))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect_kept, expect_rewritten};

    #[test]
    fn equal_pushes() {
        expect_rewritten("5 5", "5 DUP1");
        expect_rewritten("5 5 5", "5 DUP1 DUP1");
        expect_kept("0 0");
        expect_kept("5 6");
        expect_kept("CALLER CALLER");
    }

    #[test]
    fn copies_of_cheap_words() {
        expect_rewritten("CALLER DUP1", "CALLER CALLER");
        expect_rewritten("0 DUP1", "0 0");
        expect_kept("5 DUP1");
        expect_kept("GAS DUP1");
        expect_kept("SELFBALANCE DUP1");
        expect_kept("0 DUP2");
    }
}
