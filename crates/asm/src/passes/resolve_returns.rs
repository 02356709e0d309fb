//! `resolve-returns`: a return to a label that the same code pushed becomes a jump to it.
//!
//! Effect: `PUSH R … SWAP1 JUMP` → `… PUSH R JUMP`. Between the push and the jump the word of the
//! label is only carried along: stack operations that reach below it reach one word less deep, an
//! exchange with it becomes a rotation of the words above. The pass fires when a function's body
//! was put where it is called; the jump then mostly vanishes.
//! A label that is copied or consumed otherwise stays, and so does one that would need more
//! exchanges than before, but for one ([`MORE_SWAPS`]).
//! Cost: linear; each item is looked at once a segment.

use super::flow::stack_effect;
use super::pass::{Level, Pass, PassContext};
use crate::program::{Item, ItemKind, Program};
use cairn_evm::Opcode;

/// The jump that becomes known is worth so many exchanges.
const MORE_SWAPS: usize = 1;

/// See the head of this module.
pub(super) const PASS: Pass = Pass {
    name: "resolve-returns",
    summary: "a return to a label that the same code pushed becomes a jump to it",
    level: Level::Basic,
    run,
};

fn run(program: &mut Program, _: &PassContext) -> usize {
    let mut changes = 0;
    let mut output: Vec<Item> = Vec::with_capacity(program.items.len());
    let mut start = 0;
    for (index, item) in program.items.iter().enumerate() {
        if !ends_window(item.kind) {
            continue;
        }
        let window = &program.items[start..=index];
        start = index + 1;
        let is_jump = matches!(item.kind, ItemKind::Op(Opcode::JUMP));
        match if is_jump { resolve(window) } else { None } {
            Some(resolved) => {
                output.extend_from_slice(&window[..resolved.kept]);
                output.extend(resolved.items);
                changes += 1;
            }
            None => output.extend_from_slice(window),
        }
    }
    output.extend_from_slice(&program.items[start..]);
    program.items = output;
    changes
}

/// True for items that the word of a label must not be carried over: where control comes or goes.
pub(super) fn ends_window(kind: ItemKind) -> bool {
    matches!(kind, ItemKind::Label(_) | ItemKind::Op(Opcode::JUMPI)) || kind.is_terminator()
}

/// The items that replace those from the push of the label on.
pub(super) struct Resolved {
    /// Items before the push.
    pub(super) kept: usize,
    pub(super) items: Vec<Item>,
}

/// Resolves the jump at the end of straight-line code, if its target was pushed there and it is
/// not known already.
pub(super) fn resolve(items: &[Item]) -> Option<Resolved> {
    let (jump, before) = items.split_last()?;
    if matches!(before.last()?.kind, ItemKind::PushLabel(_)) {
        return None;
    }
    let (push, depths) = find_push(before)?;
    let carried = &before[push + 1..];
    let mut moved: Vec<Item> = Vec::with_capacity(carried.len() + 2);
    let mut swaps_more = 0;
    for (item, depth) in carried.iter().zip(depths.into_iter().rev()) {
        let written = moved.len();
        without_word(*item, depth, &mut moved)?;
        swaps_more += (moved.len() - written).saturating_sub(1);
    }
    (swaps_more <= MORE_SWAPS).then(|| {
        moved.extend([before[push], *jump]);
        Resolved { kept: push, items: moved }
    })
}

/// Where the word on top at the end was pushed as a label, and its depth before each item after
/// that, last item first.
fn find_push(items: &[Item]) -> Option<(usize, Vec<usize>)> {
    let mut depth = 0;
    let mut depths = Vec::new();
    for (index, item) in items.iter().enumerate().rev() {
        if depth == 0 && matches!(item.kind, ItemKind::PushLabel(_)) {
            return Some((index, depths));
        }
        // Another path that leaves in between expects the label on its stack.
        if ends_window(item.kind) {
            return None;
        }
        depth = depth_before(item.kind, depth)?;
        depths.push(depth);
    }
    None
}

/// The depth of a word before an item, given that after it; `None` if the item made or copied it.
fn depth_before(kind: ItemKind, depth: usize) -> Option<usize> {
    if let ItemKind::Op(opcode) = kind {
        if let Some(swapped) = opcode.swap_depth().map(usize::from) {
            return Some(match depth {
                0 => swapped,
                _ if depth == swapped => 0,
                _ => depth,
            });
        }
        if let Some(copied) = opcode.dup_depth().map(usize::from) {
            return (depth != 0 && depth != copied).then(|| depth - 1);
        }
    }
    let (inputs, outputs) = stack_effect(kind)?;
    Some(depth.checked_sub(outputs)? + inputs)
}

/// Writes what an item does to the other words of the stack, given the depth of the carried word.
fn without_word(item: Item, depth: usize, output: &mut Vec<Item>) -> Option<()> {
    let with = |opcode| Item { kind: ItemKind::Op(opcode), ..item };
    let ItemKind::Op(opcode) = item.kind else {
        output.push(item);
        return Some(());
    };
    if let Some(copied) = opcode.dup_depth() {
        let below = usize::from(copied) > depth;
        output.push(if below { with(Opcode::dup(copied.checked_sub(1).filter(|n| *n > 0)?)) } else { item });
        return Some(());
    }
    let Some(swapped) = opcode.swap_depth() else {
        output.push(item);
        return Some(());
    };
    if depth == 0 {
        // The word goes down to where another comes up from: the words between move down.
        output.extend((1..swapped).map(|n| with(Opcode::swap(n))));
    } else if depth == usize::from(swapped) {
        output.extend((1..swapped).rev().map(|n| with(Opcode::swap(n))));
    } else if usize::from(swapped) > depth {
        output.push(with(Opcode::swap(swapped - 1)));
    } else {
        output.push(item);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::passes::flow::testing::{expect, expect_kept};

    #[test]
    fn returns_to_labels_pushed_before() {
        expect(run, "L0 1 2 ADD SWAP1 JUMP L0: STOP", "1 2 ADD L0 JUMP L0: STOP");
        expect(run, "CALLER L0 DUP2 SLOAD SWAP1 JUMP L0: STOP", "CALLER DUP1 SLOAD L0 JUMP L0: STOP");
        expect(run, "L0 POP L0 CALLER POP JUMP L0: STOP", "L0 POP CALLER POP L0 JUMP L0: STOP");
    }

    #[test]
    fn words_above_are_rotated() {
        expect(run, "L0 DUP3 DUP3 SWAP2 JUMP L0: STOP", "DUP2 DUP2 SWAP1 L0 JUMP L0: STOP");
        expect(run, "L0 1 2 3 SWAP3 JUMP L0: STOP", "1 2 3 SWAP2 SWAP1 L0 JUMP L0: STOP");
        expect(run, "L0 SWAP2 SWAP1 SWAP2 JUMP L0: STOP", "SWAP1 SWAP1 SWAP1 L0 JUMP L0: STOP");
        expect_kept(run, "L0 1 2 3 4 SWAP4 JUMP L0: STOP");
    }

    #[test]
    fn labels_that_are_not_only_carried() {
        expect_kept(run, "L0 DUP1 SSTORE JUMP L0: STOP");
        expect_kept(run, "L0 DUP1 JUMP L0: STOP");
        expect_kept(run, "L0 CALLER DUP2 SWAP1 POP JUMP L0: STOP");
        expect_kept(run, "L0 CALLER ADD JUMP L0: STOP");
    }

    #[test]
    fn control_in_between() {
        expect_kept(run, "L0 CALLER L1 JUMPI CALLER SWAP1 JUMP L0: L1: STOP");
        expect_kept(run, "L0 CALLER L1: CALLER SWAP2 JUMP L0: STOP");
        expect_kept(run, "L0 JUMP L0: STOP");
    }
}
