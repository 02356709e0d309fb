//! `share-ends`: a branch over an end of code that stands elsewhere, too, goes there instead.
//!
//! Effect: `PUSH L JUMPI T L:` → `ISZERO PUSH M JUMPI L:` where `T` is without labels and ends in a
//! jump or halt, and stands behind label `M` as well, where the bytes are worth the gas. There may
//! be more labels before the one that is meant.
//! Cost: linear; ends up to [`MAX_END`] items are compared.

use super::cost::item_cost;
use super::flow::{frequency, label_uses, lengths_to_terminator};
use super::pass::{Level, Pass, PassContext};
use crate::program::{Item, ItemKind, Label, Program};
use cairn_evm::Cost;
use cairn_evm::{Opcode, gas};
use rustc_hash::FxHashMap;
use std::hash::{Hash, Hasher};
use std::num::NonZeroU32;

/// Items of the longest end that is looked at.
const MAX_END: usize = 16;

/// See the head of this module.
pub(super) const PASS: Pass = Pass {
    name: "share-ends",
    summary: "a branch over an end of code that stands elsewhere, too, goes there",
    level: Level::Quick,
    run,
};

fn run(program: &mut Program, cx: &PassContext) -> usize {
    let ends = Ends { items: &program.items, lengths: lengths_to_terminator(&program.items) };
    let branches = ends.branches();
    if branches.is_empty() {
        return 0;
    }
    let labels = ends.first_labels(&branches);
    let uses = label_uses(program);
    let mut output: Vec<Item> = Vec::with_capacity(program.items.len());
    let mut index = 0;
    let mut changes = 0;
    for branch in branches {
        let Some(shared) = labels[&Kinds(branch.end)].filter(|shared| *shared != branch.over) else {
            continue;
        };
        // A branch inside an end that is gone by now is gone, too.
        if branch.at < index || !branch.pays(&uses, cx) {
            continue;
        }
        output.extend_from_slice(&program.items[index..branch.at]);
        let [push, jump] = [program.items[branch.at], program.items[branch.at + 1]];
        output.push(Item { kind: ItemKind::Op(Opcode::ISZERO), ..push });
        output.push(Item { kind: ItemKind::PushLabel(shared), ..push });
        output.push(jump);
        index = branch.at + 2 + branch.end.len();
        changes += 1;
    }
    if changes > 0 {
        output.extend_from_slice(&program.items[index..]);
        program.items = output;
    }
    changes
}

/// A branch over an end of code.
struct Branch<'a> {
    /// The push of the label.
    at: usize,
    over: Label,
    end: &'a [Item],
}

/// Items that are compared without their debug information.
struct Kinds<'a>(&'a [Item]);

impl PartialEq for Kinds<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.iter().map(|item| &item.kind).eq(other.0.iter().map(|item| &item.kind))
    }
}

impl Eq for Kinds<'_> {}

impl Hash for Kinds<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.iter().for_each(|item| item.kind.hash(state));
    }
}

/// The ends of a program.
struct Ends<'a> {
    items: &'a [Item],
    lengths: Vec<Option<NonZeroU32>>,
}

impl<'a> Ends<'a> {
    /// Items up to the first terminator, if no label comes before and they are few.
    fn end_at(&self, start: usize) -> Option<&'a [Item]> {
        let length = (*self.lengths.get(start)?)?.get() as usize;
        (length <= MAX_END).then(|| &self.items[start..start + length])
    }

    fn branches(&self) -> Vec<Branch<'a>> {
        let mut branches = Vec::new();
        for (at, pair) in self.items.windows(2).enumerate() {
            let (ItemKind::PushLabel(over), ItemKind::Op(Opcode::JUMPI)) = (pair[0].kind, pair[1].kind)
            else {
                continue;
            };
            let Some(end) = self.end_at(at + 2) else { continue };
            let mut behind = self.items[at + 2 + end.len()..].iter().map_while(|item| match item.kind {
                ItemKind::Label(label) => Some(label),
                _ => None,
            });
            if behind.any(|label| label == over) {
                branches.push(Branch { at, over, end });
            }
        }
        branches
    }

    /// The first label that the ends of these branches directly follow.
    fn first_labels(&self, branches: &[Branch<'a>]) -> FxHashMap<Kinds<'a>, Option<Label>> {
        let mut labels: FxHashMap<Kinds<'a>, Option<Label>> =
            branches.iter().map(|branch| (Kinds(branch.end), None)).collect();
        let mut has_length = [false; MAX_END + 1];
        branches.iter().for_each(|branch| has_length[branch.end.len()] = true);
        for (index, item) in self.items.iter().enumerate() {
            let ItemKind::Label(label) = item.kind else { continue };
            let Some(end) = self.end_at(index + 1).filter(|end| has_length[end.len()]) else { continue };
            if let Some(first) = labels.get_mut(&Kinds(end)) {
                first.get_or_insert(label);
            }
        }
        labels
    }
}

impl Branch<'_> {
    fn pays(&self, uses: &[u32], cx: &PassContext) -> bool {
        let Some(last) = self.end.last() else {
            return false;
        };
        let own: Cost = self.end.iter().map(|item| item_cost(item.kind, cx.fork)).sum();
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
