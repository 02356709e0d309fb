//! `merge-tails`: one copy of equal ends of code, where that pays.
//!
//! Effect: when several segments end with the same items, all but one jump to a label in that one.
//! A tail reaches back to the last label or terminator at most. It pays when the bytes saved weigh
//! more than the jump at the tail's [`frequency`]. A short tail does not begin with a `JUMPI`: that stays where
//! it is, and the jump to the tail behind it becomes one of its two ways.
//! Cost: tails are sorted from their ends, [`MAX_TAIL`] items each; each is compared with the first
//! of its group only.

use super::cost::item_cost;
use super::flow::{frequency, intern, segments};
use super::pass::{Level, Pass, PassContext};
use super::places::Places;
use crate::program::{Item, ItemKind, Label, Program};
use cairn_evm::Cost;
use cairn_evm::Opcode;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Longer tails are compared by their last items only.
const MAX_TAIL: usize = 256;

/// Items of a tail behind a `JUMPI` for which the branch is not shared as well.
const MAX_BEHIND_BRANCH: usize = 16;

/// A tail that is replaced by a jump: the items and the place where the equal ones begin.
struct Redirect {
    from: Range<usize>,
    to: usize,
}

/// See the head of this module.
pub(super) const PASS: Pass = Pass {
    name: "merge-tails",
    summary: "one copy of equal ends of code, where that pays",
    level: Level::Quick,
    run,
};

fn run(program: &mut Program, cx: &PassContext) -> usize {
    let redirects = find_redirects(&program.items, cx);
    if redirects.is_empty() {
        return 0;
    }
    let places = Places::new(program);
    for redirect in &redirects {
        let kept = redirect.to..redirect.to + redirect.from.len();
        places.join(program, kept, redirect.from.clone());
    }
    let labels = label_places(program, &redirects);
    rewrite(program, &redirects, &labels);
    redirects.len()
}

fn find_redirects(items: &[Item], cx: &PassContext) -> Vec<Redirect> {
    let keys = intern(items);
    let ended = segments(items).into_iter().filter(|segment| items[segment.end - 1].kind.is_terminator());
    let mut tails: Vec<Range<usize>> = ended.map(|segment| tail_of(items, segment)).collect();
    tails.sort_by(|one, other| {
        keys[one.clone()].iter().rev().cmp(keys[other.clone()].iter().rev()).then(one.start.cmp(&other.start))
    });
    let mut redirects = Vec::new();
    let mut tails = tails.into_iter();
    let Some(mut kept) = tails.next() else { return redirects };
    for tail in tails {
        let shared =
            behind_branch(&items[..tail.end], common_suffix(&keys[kept.clone()], &keys[tail.clone()]));
        if pays(&items[tail.end - shared..tail.end], cx) {
            redirects.push(Redirect { from: tail.end - shared..tail.end, to: kept.end - shared });
        } else {
            kept = tail;
        }
    }
    redirects
}

fn tail_of(items: &[Item], segment: Range<usize>) -> Range<usize> {
    let inner = items[segment.clone()].iter().rposition(|item| matches!(item.kind, ItemKind::Label(_)));
    let start = inner.map_or(segment.start, |label| segment.start + label + 1);
    start.max(segment.end.saturating_sub(MAX_TAIL))..segment.end
}

fn common_suffix(one: &[u32], other: &[u32]) -> usize {
    one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// The length of a tail at the end of these items without the branch that it begins with.
fn behind_branch(items: &[Item], len: usize) -> usize {
    let is_branch = items.get(items.len() - len).is_some_and(|item| item.kind == ItemKind::Op(Opcode::JUMPI));
    if is_branch && len <= MAX_BEHIND_BRANCH + 1 { len - 1 } else { len }
}

fn pays(shared: &[Item], cx: &PassContext) -> bool {
    let Some(terminator) = shared.last() else { return false };
    let copy: Cost = shared.iter().map(|item| item_cost(item.kind, cx.fork)).sum();
    let label = Cost { bytes: 1, gas: 0 };
    let saved = Cost::new(0, copy.bytes);
    cx.weigh_at(saved, frequency(terminator.kind))
        > cx.weigh_at(cx.jump_cost() + label, frequency(terminator.kind))
}

/// A label for each place that is jumped to: the one before it, or a new one.
fn label_places(program: &mut Program, redirects: &[Redirect]) -> FxHashMap<usize, (Label, bool)> {
    let mut labels = FxHashMap::default();
    for redirect in redirects {
        labels.entry(redirect.to).or_insert_with(|| {
            let before = redirect.to.checked_sub(1).map(|index| program.items[index].kind);
            if let Some(ItemKind::Label(label)) = before {
                return (label, false);
            }
            let label = Label(program.num_labels);
            program.num_labels += 1;
            (label, true)
        });
    }
    labels
}

fn rewrite(program: &mut Program, redirects: &[Redirect], labels: &FxHashMap<usize, (Label, bool)>) {
    let starts: FxHashMap<usize, &Redirect> =
        redirects.iter().map(|redirect| (redirect.from.start, redirect)).collect();
    let mut output = Vec::with_capacity(program.items.len());
    let mut index = 0;
    while let Some(item) = program.items.get(index) {
        if let Some((label, true)) = labels.get(&index) {
            output.push(Item { kind: ItemKind::Label(*label), ..*item });
        }
        let Some(redirect) = starts.get(&index) else {
            output.push(*item);
            index += 1;
            continue;
        };
        let target = labels[&redirect.to].0;
        let item = Item { jump: Default::default(), ..*item };
        output.push(Item { kind: ItemKind::PushLabel(target), ..item });
        output.push(Item { kind: ItemKind::Op(Opcode::JUMP), ..item });
        index = redirect.from.end;
    }
    program.items = output;
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::passes::flow::testing::{expect, expect_kept};

    #[test]
    fn equal_ends() {
        expect(
            run,
            "CALLER L0 JUMPI 1 2 3 4 MSTORE 5 6 REVERT L0: ADDRESS 3 4 MSTORE 5 6 REVERT",
            "CALLER L0 JUMPI 1 2 L1: 3 4 MSTORE 5 6 REVERT L0: ADDRESS L1 JUMP",
        );
    }

    #[test]
    fn a_whole_block_uses_its_label() {
        expect(
            run,
            "L0 JUMP L0: 3 4 MSTORE 5 6 REVERT L1: ADDRESS 3 4 MSTORE 5 6 REVERT",
            "L0 JUMP L0: 3 4 MSTORE 5 6 REVERT L1: ADDRESS L0 JUMP",
        );
    }

    #[test]
    fn several_lengths_of_one_tail() {
        expect(
            run,
            "1 2 3 4 MSTORE 5 6 REVERT L0: 9 3 4 MSTORE 5 6 REVERT L1: 8 2 3 4 MSTORE 5 6 REVERT",
            "1 L2: 2 L3: 3 4 MSTORE 5 6 REVERT L0: 9 L3 JUMP L1: 8 L2 JUMP",
        );
    }

    #[test]
    fn a_branch_before_a_short_tail_stays() {
        let end = "JUMPI 3 4 MSTORE 5 6 REVERT";
        expect(
            run,
            &format!("CALLER L8 {end} L0: ADDRESS L9 {end} L8: STOP L9: STOP"),
            "CALLER L8 JUMPI L10: 3 4 MSTORE 5 6 REVERT L0: ADDRESS L9 JUMPI L10 JUMP L8: STOP L9: STOP",
        );
        let long = format!("JUMPI {}STOP", "1 POP ".repeat(9));
        let text = format!("CALLER L8 {long} L0: ADDRESS L9 {long} L8: STOP L9: STOP");
        let merged = format!("CALLER L8 L10: {long} L0: ADDRESS L9 L10 JUMP L8: STOP L9: STOP");
        expect(run, &text, &merged);
    }

    #[test]
    fn ends_that_are_too_short() {
        expect_kept(run, "CALLER L0 JUMPI 1 0 0 REVERT L0: ADDRESS 0 0 REVERT");
        expect_kept(run, "CALLER L0 JUMPI 1 POP JUMP L0: ADDRESS POP JUMP");
    }

    #[test]
    fn warm_code_is_merged_only_for_more_bytes() {
        let code = |end: &str| format!("CALLER L0 JUMPI 1 {end} L0: ADDRESS {end}");
        expect_kept(run, &code("MLOAD POP POP POP POP POP JUMP"));
        expect(
            run,
            &code("MLOAD POP POP POP POP POP POP POP JUMP"),
            "CALLER L0 JUMPI 1 L1: MLOAD POP POP POP POP POP POP POP JUMP L0: ADDRESS L1 JUMP",
        );
    }

    #[test]
    fn labels_end_a_tail() {
        expect_kept(run, "3 4 MSTORE 5 L0: 6 REVERT L1: 3 4 MSTORE 5 L2: 6 REVERT");
    }
}
