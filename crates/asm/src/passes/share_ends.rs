//! `share-ends`: a branch over an end of code that stands elsewhere, too, goes there instead.
//!
//! Effect: `PUSH L JUMPI T L:` → `ISZERO PUSH M JUMPI L:` where `T` is without labels and ends in a
//! jump or halt, and stands behind label `M` as well, where the bytes are worth the gas. There may
//! be more labels before the one that is meant.
//! Cost: linear; ends up to [`GREATEST_END`] items are compared.

use super::PassContext;
use super::cost::Cost;
use super::flow::{frequency, label_uses};
use crate::program::{Item, ItemKind, Label, Program};
use cairn_evm::{Opcode, gas};
use rustc_hash::FxHashMap;

/// Items of the longest end that is looked at.
const GREATEST_END: usize = 16;

pub(super) fn run(program: &mut Program, cx: &PassContext) -> usize {
    let ends = labelled_ends(&program.items);
    let uses = label_uses(program);
    let mut output: Vec<Item> = Vec::with_capacity(program.items.len());
    let mut index = 0;
    let mut changes = 0;
    while index < program.items.len() {
        let rest = &program.items[index..];
        match find_branch(rest, &ends).filter(|branch| branch.pays(&uses, cx)) {
            Some(branch) => {
                let like = |item: &Item, kind| Item { kind, ..*item };
                output.push(like(&rest[0], ItemKind::Op(Opcode::ISZERO)));
                output.push(like(&rest[0], ItemKind::PushLabel(branch.shared)));
                output.push(rest[1]);
                index += 2 + branch.end.len();
                changes += 1;
            }
            None => {
                output.push(rest[0]);
                index += 1;
            }
        }
    }
    program.items = output;
    changes
}

/// Items up to the first terminator, if no label comes before and they are few.
fn end_of(items: &[Item]) -> Option<&[Item]> {
    let ends = |item: &Item| item.kind.is_terminator() || matches!(item.kind, ItemKind::Label(_));
    let last = items.iter().take(GREATEST_END).position(ends)?;
    items[last].kind.is_terminator().then_some(&items[..=last])
}

fn kinds(items: &[Item]) -> Vec<ItemKind> {
    items.iter().map(|item| item.kind).collect()
}

/// The ends of code that directly follow a label; the first label of equal ones.
fn labelled_ends(items: &[Item]) -> FxHashMap<Vec<ItemKind>, Label> {
    let mut ends = FxHashMap::default();
    for (index, item) in items.iter().enumerate() {
        if let (ItemKind::Label(label), Some(end)) = (item.kind, end_of(&items[index + 1..])) {
            ends.entry(kinds(end)).or_insert(label);
        }
    }
    ends
}

/// A branch over an end of code.
struct Branch<'a> {
    over: Label,
    end: &'a [Item],
    /// Where the end stands as well.
    shared: Label,
}

fn find_branch<'a>(items: &'a [Item], ends: &FxHashMap<Vec<ItemKind>, Label>) -> Option<Branch<'a>> {
    let (ItemKind::PushLabel(over), ItemKind::Op(Opcode::JUMPI)) = (items.first()?.kind, items.get(1)?.kind)
    else {
        return None;
    };
    let end = end_of(&items[2..])?;
    let behind = items[2 + end.len()..].iter().map_while(|item| match item.kind {
        ItemKind::Label(label) => Some(label),
        _ => None,
    });
    behind.clone().find(|label| *label == over)?;
    let shared = *ends.get(&kinds(end))?;
    (shared != over).then_some(Branch { over, end, shared })
}

impl Branch<'_> {
    fn pays(&self, uses: &[u32], cx: &PassContext) -> bool {
        let Some(last) = self.end.last() else {
            return false;
        };
        let own: Cost = self.end.iter().map(|item| Cost::of_item(item.kind, cx.fork)).sum();
        let jumpdest = Cost { gas: gas::static_gas(Opcode::JUMPDEST, cx.fork), bytes: 1 };
        let label = if uses[self.over.0 as usize] == 1 { jumpdest } else { Cost::default() };
        let inverted = Cost::of_op(Opcode::ISZERO, cx.fork);
        let reached = Cost { bytes: 0, ..jumpdest };
        let saved = cx.cost.weigh(label) + cx.cost.weigh(Cost { gas: 0, ..own });
        saved > cx.cost.weigh(inverted) + cx.weigh_at(reached, frequency(last.kind))
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::passes::flow::testing::{expect, expect_kept};

    #[test]
    fn a_failure_that_stands_elsewhere_is_shared() {
        expect(
            run,
            "CALLER L0 JUMPI 0 0 REVERT L0: CALLER L1 JUMPI STOP L1: 0 0 REVERT",
            "CALLER ISZERO L1 JUMPI L0: CALLER L1 JUMPI STOP L1: 0 0 REVERT",
        );
        expect(
            run,
            "CALLER L0 JUMPI 0 0 REVERT L2: L0: CALLER L1 JUMPI L2 JUMP L1: 0 0 REVERT",
            "CALLER ISZERO L1 JUMPI L2: L0: CALLER L1 JUMPI L2 JUMP L1: 0 0 REVERT",
        );
    }

    #[test]
    fn what_stands_nowhere_else_stays() {
        expect_kept(run, "CALLER L0 JUMPI 0 0 REVERT L0: CALLER L1 JUMPI STOP L1: 0 1 REVERT");
        expect_kept(run, "CALLER L0 JUMPI 0 0 REVERT L0: STOP");
    }

    #[test]
    fn branches_elsewhere_and_labels_inside_stay() {
        expect_kept(run, "CALLER L2 JUMPI 0 0 REVERT L0: CALLER L1 JUMPI STOP L1: 0 0 REVERT L2: STOP");
        expect_kept(run, "CALLER L0 JUMPI 0 L2: 0 REVERT L0: CALLER L1 JUMPI STOP L1: 0 0 REVERT");
        // The end itself stands behind the label that is jumped over to.
        expect_kept(run, "CALLER L0 JUMPI 0 0 REVERT L0: 0 0 REVERT");
    }
}
