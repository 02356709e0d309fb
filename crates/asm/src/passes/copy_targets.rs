//! `copy-targets`: a jump to a short end of code becomes a copy of it, where that pays.
//!
//! Effect: `PUSH L JUMP … L: STOP` → `STOP … L: STOP`, and for calls of small functions
//! `PUSH R PUSH L JUMP R: … L: ADD SWAP1 JUMP` → `ADD R:`: where the code before the jump pushed
//! the label that the copy returns to, the return is resolved at once. What is copied stands
//! between a label and a terminator, without other labels.
//! It pays when the copy weighs less than the jump at the [`frequency`] of the code: `merge-tails`
//! undoes none of it, since it asks for strictly more.

use super::cost::item_cost;
use super::flow::{final_jump, frequency, lengths_to_terminator};
use super::pass::{Level, Pass, PassContext};
use super::resolve_returns::{Resolved, ends_window, resolve};
use crate::program::{Item, ItemKind, Label, Program};
use cairn_evm::Cost;
use cairn_evm::{Opcode, gas};
use std::ops::Range;

/// Longer ends are never copied.
const MAX_END: usize = 24;

/// A return is resolved to a label pushed so many items before the jump at most.
const MAX_WINDOW: usize = 64;

/// See the head of this module.
pub(super) const PASS: Pass = Pass {
    name: "copy-targets",
    summary: "a jump to a short end of code becomes a copy of it, where that pays",
    level: Level::Full,
    run,
};

fn run(program: &mut Program, cx: &PassContext) -> usize {
    let ends = short_ends(program);
    let mut copies = 0;
    let mut output: Vec<Item> = Vec::with_capacity(program.items.len());
    let mut copied = 0;
    for (index, item) in program.items.iter().enumerate() {
        if !ends_window(item.kind) {
            continue;
        }
        let window = output.len();
        output.extend_from_slice(&program.items[copied..=index]);
        copied = index + 1;
        if let Some(end) = final_jump(&output).and_then(|label| ends[label.0 as usize].clone()) {
            let end = &program.items[end];
            let start = window.max(output.len().saturating_sub(MAX_WINDOW));
            let next = program.items.get(index + 1).map(|item| item.kind);
            copies += usize::from(copy(&mut output, start, end, next, cx));
        }
    }
    output.extend_from_slice(&program.items[copied..]);
    program.items = output;
    copies
}

/// For each label the items behind it up to the terminator, if that is near.
fn short_ends(program: &Program) -> Vec<Option<Range<usize>>> {
    let mut ends = vec![None; program.num_labels as usize];
    let lengths = lengths_to_terminator(&program.items);
    for ((index, item), length) in program.items.iter().enumerate().zip(lengths.into_iter().skip(1)) {
        let (ItemKind::Label(Label(label)), Some(length)) = (item.kind, length) else { continue };
        let length = length.get() as usize;
        let end = index + 1..index + 1 + length;
        let is_jump = length == 2 && final_jump(&program.items[end.clone()]).is_some();
        if length <= MAX_END && !is_jump {
            ends[label as usize] = Some(end);
        }
    }
    ends
}

/// Replaces the `PUSH JUMP` at the end of `output` by a copy of its target `end`, if that pays.
/// The code that may have pushed the return label begins at `start`; `next` follows the jump.
fn copy(
    output: &mut Vec<Item>,
    start: usize,
    end: &[Item],
    next: Option<ItemKind>,
    cx: &PassContext,
) -> bool {
    let jump = output.len() - 2;
    if pays(end, cx) {
        output.truncate(jump);
        output.extend_from_slice(end);
        return true;
    }
    if end.last().is_none_or(|item| item.kind != ItemKind::Op(Opcode::JUMP)) {
        return false;
    }
    let joined = [&output[start..jump], end].concat();
    let Some(resolved) = resolve(&joined).filter(|resolved| start + resolved.kept < jump) else {
        return false;
    };
    if !call_pays(&output[start + resolved.kept..], end, &resolved, next, cx) {
        return false;
    }
    output.truncate(start + resolved.kept);
    output.extend(resolved.items);
    true
}

fn total(items: &[Item], cx: &PassContext) -> Cost {
    items.iter().map(|item| item_cost(item.kind, cx.fork)).sum()
}

fn pays(end: &[Item], cx: &PassContext) -> bool {
    let Some(terminator) = end.last() else { return false };
    let copy = Cost { gas: 0, bytes: total(end, cx).bytes };
    cx.weigh_at(copy, frequency(terminator.kind)) <= cx.weigh_at(cx.jump_cost(), frequency(terminator.kind))
}

/// Compares a call (from the push of the return label to the jump, and the body) with its resolved
/// copy. The jump to the return label costs nothing where the label comes next.
fn call_pays(
    call: &[Item],
    body: &[Item],
    resolved: &Resolved,
    next: Option<ItemKind>,
    cx: &PassContext,
) -> bool {
    let entry = gas::static_gas(Opcode::JUMPDEST, cx.fork);
    let before = total(call, cx) + Cost { gas: total(body, cx).gas + entry, bytes: 0 };
    let returns_to_next = final_jump(&resolved.items).map(ItemKind::Label) == next;
    let kept =
        if returns_to_next { &resolved.items[..resolved.items.len() - 2] } else { &resolved.items[..] };
    let jump = ItemKind::Op(Opcode::JUMP);
    cx.weigh_at(total(kept, cx), frequency(jump)) < cx.weigh_at(before, frequency(jump))
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

    #[test]
    fn calls_of_small_functions() {
        expect(
            run,
            "L1 CALLER 5 L0 JUMP L1: STOP L0: 1 ADD 7 MUL ADD SWAP1 JUMP",
            "CALLER 5 1 ADD 7 MUL ADD L1 JUMP L1: STOP L0: 1 ADD 7 MUL ADD SWAP1 JUMP",
        );
    }

    #[test]
    fn calls_of_functions_that_are_too_large_or_return_elsewhere() {
        let body = "1 ADD 2 ADD 3 ADD 4 ADD 5 ADD 6 ADD 7 ADD SWAP1 JUMP";
        expect_kept(run, &format!("L1 CALLER L0 JUMP L1: STOP L0: {body}"));
        expect_kept(run, "CALLER 5 L0 JUMP L1: STOP L0: 1 ADD 7 MUL ADD SWAP1 JUMP");
        let branching = "DUP1 L2 JUMPI ADD SWAP1 JUMP L2: POP SWAP1 JUMP";
        expect_kept(run, &format!("L1 CALLER 5 L0 JUMP L1: STOP L0: {branching}"));
    }
}
