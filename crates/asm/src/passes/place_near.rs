//! `place-near`: puts what is jumped to most often where its position fits one byte.
//!
//! Effect: behind the code that runs first come the segments with the most pushes of their labels
//! for their size, as long as these lie below position 256; the others follow in the order they
//! had. Each push of a position there is a byte shorter, and nothing else changes: segments can lie
//! in any order. Mostly these are the ways to fail.
//! Needs: to come last, for sizes are taken as they are. Cost: segments are sorted once.

use super::cost::item_cost;
use super::flow::{label_uses, segments};
use super::pass::{Level, Pass, PassContext};
use crate::program::{Item, ItemKind, Program};
use std::cmp::Reverse;
use std::ops::Range;

/// Positions below fit one byte.
const NEAR: u64 = 256;

/// See the head of this module.
pub(super) const PASS: Pass = Pass {
    name: "place-near",
    summary: "puts what is jumped to most often where its position fits one byte",
    level: Level::Quick,
    run,
};

fn run(program: &mut Program, cx: &PassContext) -> usize {
    let segments = segments(&program.items);
    let [first, others @ ..] = &segments[..] else {
        return 0;
    };
    let uses = label_uses(program);
    let size = |range: &Range<usize>| -> u64 {
        program.items[range.clone()].iter().map(|item| item_cost(item.kind, cx.fork).bytes).sum()
    };
    let n_used = |range: &Range<usize>| -> u64 {
        let used = program.items[range.clone()].iter().map(|item| match item.kind {
            ItemKind::Label(label) => uses[label.0 as usize],
            _ => 0,
        });
        used.map(u64::from).sum()
    };
    let can_move = |range: &Range<usize>| program.items[range.end - 1].kind.is_terminator();
    let mut place = size(first);
    if place >= NEAR || !can_move(first) {
        return 0;
    }
    // Uses for each byte, as a fraction of a large number; where there are none, nothing is moved.
    let mut ranked: Vec<(Reverse<u64>, usize)> = (others.iter().enumerate())
        .filter(|(_, range)| can_move(range))
        .map(|(index, range)| (n_used(range), index))
        .filter(|(uses, _)| *uses > 0)
        .map(|(uses, index)| (Reverse((uses << 32) / size(&others[index]).max(1)), index))
        .collect();
    ranked.sort_unstable();
    let mut is_near = vec![false; others.len()];
    let mut order = vec![first.clone()];
    for (_, index) in ranked {
        if place >= NEAR {
            break;
        }
        place += size(&others[index]);
        is_near[index] = true;
        order.push(others[index].clone());
    }
    order.extend(others.iter().zip(&is_near).filter(|(_, near)| !**near).map(|(range, _)| range.clone()));
    if order.is_sorted_by_key(|range| range.start) {
        return 0;
    }
    let items: Vec<Item> = order.iter().flat_map(|range| &program.items[range.clone()]).copied().collect();
    program.items = items;
    1
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::passes::flow::testing::{expect, expect_kept};

    #[test]
    fn what_is_used_most_comes_first() {
        expect(
            run,
            "L0 JUMP L1: 1 2 3 SSTORE L2 JUMP L0: CALLER L2 JUMPI L2 JUMP L2: STOP",
            "L0 JUMP L2: STOP L0: CALLER L2 JUMPI L2 JUMP L1: 1 2 3 SSTORE L2 JUMP",
        );
    }

    #[test]
    fn code_in_that_order_and_the_end_without_terminator_stay() {
        expect_kept(run, "L0 JUMP L0: CALLER L0 JUMPI STOP L1: STOP");
        expect_kept(run, "L0 JUMP L1: STOP L0: CALLER L0 JUMPI L0 L0 L0");
        expect_kept(run, "CALLER");
        expect_kept(run, "");
    }

    #[test]
    fn far_code_is_left_where_it_is() {
        let long = "12345678901234567890 POP ".repeat(30);
        expect_kept(run, &format!("{long} L0 JUMP L1: CALLER POP STOP L0: L0 L0 STOP"));
    }
}
