//! `copy-targets`: a jump to a short end of code becomes a copy of it, where that pays.
//!
//! Effect: `PUSH L JUMP … L: STOP` → `STOP … L: STOP`. What is copied stands between a label and a
//! terminator, without other labels. It pays when the copy weighs less than the jump at the
//! [`frequency`] of the code: `merge-tails` undoes none of it, since it asks for strictly more.

use super::PassContext;
use super::cost::Cost;
use super::flow::{final_jump, frequency};
use crate::program::{Item, ItemKind, Label, Program};
use std::ops::Range;

/// Longer ends are never copied.
const LONGEST: usize = 24;

pub(super) fn run(program: &mut Program, cx: &PassContext) -> usize {
    let ends = short_ends(program);
    let mut copies = 0;
    let mut output: Vec<Item> = Vec::with_capacity(program.items.len());
    for item in &program.items {
        output.push(*item);
        if let Some(end) = final_jump(&output).and_then(|label| ends[label.0 as usize].clone()) {
            copies += usize::from(copy(&mut output, &program.items[end], cx));
        }
    }
    program.items = output;
    copies
}

/// For each label the items behind it up to the terminator, if that is near.
fn short_ends(program: &Program) -> Vec<Option<Range<usize>>> {
    let mut ends = vec![None; program.num_labels as usize];
    for (index, item) in program.items.iter().enumerate() {
        let ItemKind::Label(Label(label)) = item.kind else { continue };
        let behind = &program.items[index + 1..program.items.len().min(index + 1 + LONGEST)];
        let stops = |item: &Item| item.kind.is_terminator() || matches!(item.kind, ItemKind::Label(_));
        let Some(length) = behind.iter().position(stops) else { continue };
        let end = index + 1..index + 2 + length;
        let is_jump = length == 1 && final_jump(&program.items[end.clone()]).is_some();
        if behind[length].kind.is_terminator() && !is_jump {
            ends[label as usize] = Some(end);
        }
    }
    ends
}

/// Replaces the `PUSH JUMP` at the end of `output` by a copy of its target `end`, if that pays.
fn copy(output: &mut Vec<Item>, end: &[Item], cx: &PassContext) -> bool {
    if !pays(end, cx) {
        return false;
    }
    output.truncate(output.len() - 2);
    output.extend_from_slice(end);
    true
}

fn total(items: &[Item], cx: &PassContext) -> Cost {
    items.iter().map(|item| Cost::of_item(item.kind, cx.fork)).sum()
}

fn pays(end: &[Item], cx: &PassContext) -> bool {
    let Some(terminator) = end.last() else { return false };
    let copy = Cost { gas: 0, bytes: total(end, cx).bytes };
    cx.weigh_at(copy, frequency(terminator.kind)) <= cx.weigh_at(cx.jump_cost(), frequency(terminator.kind))
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::passes::flow::testing::{expect, expect_kept};

    #[test]
    fn short_ends() {
        expect(run, "L0 JUMP L0: STOP", "STOP L0: STOP");
        expect(run, "CALLER L0 JUMP L0: SWAP1 JUMP", "CALLER SWAP1 JUMP L0: SWAP1 JUMP");
        expect(run, "L0 JUMP L0: 0 0 REVERT", "0 0 REVERT L0: 0 0 REVERT");
    }

    #[test]
    fn ends_that_are_too_long() {
        expect_kept(run, "L0 JUMP L0: 0 0 0 0 LOG1 0 0 REVERT");
        expect_kept(run, "L0 JUMP L0: 1 2 3 4 5 JUMP");
    }

    #[test]
    fn only_jumps_to_ends() {
        expect_kept(run, "CALLER L0 JUMPI STOP L0: STOP");
        expect_kept(run, "L0 JUMP L0: CALLER L1: STOP");
        expect_kept(run, "L0: L0 JUMP");
    }
}
