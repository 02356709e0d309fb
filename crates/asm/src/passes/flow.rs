//! Where control goes: uses of labels, aliases, segments.
//!
//! A *segment* is a maximal run of items that control enters at its top or at labels and leaves
//! at its end through a terminator: segments can lie in any order. A *tail* is what stands between
//! the last label of a segment and its end.

use super::cost::item_cost;
use super::pass::PassContext;
use crate::program::{Item, ItemKind, Label, Program};
use cairn_evm::Cost;
use cairn_evm::{Opcode, gas};
use rustc_hash::FxHashMap;
use std::num::NonZeroU32;
use std::ops::Range;

/// How many items push each label.
pub(super) fn label_uses(program: &Program) -> Vec<u32> {
    let mut uses = vec![0; program.num_labels as usize];
    for item in &program.items {
        program.pushed_labels(&item.kind).iter().for_each(|Label(index)| uses[*index as usize] += 1);
    }
    uses
}

/// Labels that stand for others.
pub(super) struct Aliases {
    targets: Vec<Label>,
}

impl Aliases {
    /// Each label stands for itself.
    pub(super) fn new(program: &Program) -> Aliases {
        Aliases { targets: (0..program.num_labels).map(Label).collect() }
    }

    /// The label that `label` stands for.
    pub(super) fn resolve(&mut self, label: Label) -> Label {
        let mut root = label;
        while self.targets[root.0 as usize] != root {
            root = self.targets[root.0 as usize];
        }
        let mut walk = label;
        while walk != root {
            walk = std::mem::replace(&mut self.targets[walk.0 as usize], root);
        }
        root
    }

    /// Makes `label` and all that stand for it stand for `target`; false if they are one already.
    pub(super) fn redirect(&mut self, label: Label, target: Label) -> bool {
        let (label, target) = (self.resolve(label), self.resolve(target));
        self.targets[label.0 as usize] = target;
        label != target
    }

    /// Replaces each pushed label by the one it stands for; the number of replacements.
    pub(super) fn apply(&mut self, program: &mut Program) -> usize {
        let mut changes = 0;
        for item in &mut program.items {
            if let ItemKind::PushLabel(label) = item.kind {
                let target = self.resolve(label);
                changes += usize::from(target != label);
                item.kind = ItemKind::PushLabel(target);
            }
        }
        for label in program.tables.iter_mut().flatten() {
            let target = self.resolve(*label);
            changes += usize::from(target != *label);
            *label = target;
        }
        changes
    }
}

/// The segments of a program, in order. The last may lack a terminator.
pub(super) fn segments(items: &[Item]) -> Vec<Range<usize>> {
    let mut segments = Vec::new();
    let mut start = 0;
    for (index, item) in items.iter().enumerate() {
        if item.kind.is_terminator() {
            segments.push(start..index + 1);
            start = index + 1;
        }
    }
    if start < items.len() {
        segments.push(start..items.len());
    }
    segments
}

/// The target when a piece of code ends with `PUSH label JUMP`.
pub(super) fn final_jump(items: &[Item]) -> Option<Label> {
    let [.., push, Item { kind: ItemKind::Op(Opcode::JUMP), .. }] = items else { return None };
    if let ItemKind::PushLabel(label) = push.kind { Some(label) } else { None }
}

/// Words taken and left by an item that isn't `DUP` or `SWAP`; `None` where that isn't all it does
/// to the stack.
pub(super) fn stack_effect(kind: ItemKind) -> Option<(usize, usize)> {
    match kind {
        ItemKind::Op(opcode) => {
            let info = opcode.info()?;
            Some((usize::from(info.inputs), usize::from(info.outputs)))
        }
        ItemKind::AssignImmutable(_) => Some((2, 0)),
        ItemKind::Verbatim { inputs, outputs, .. } => Some((usize::from(inputs), usize::from(outputs))),
        kind => kind.is_push().then_some((0, 1)),
    }
}

/// A number for each item, equal for equal items, in the order in which they come first.
pub(super) fn intern(items: &[Item]) -> Vec<u32> {
    const UNKNOWN: u32 = u32::MAX;
    let mut count = 0;
    // Most items are opcodes, which need no hashing.
    let mut opcodes = [UNKNOWN; 256];
    let mut others: FxHashMap<ItemKind, u32> = FxHashMap::default();
    let number = |item: &Item| {
        let known = match item.kind {
            ItemKind::Op(opcode) => &mut opcodes[usize::from(opcode.0)],
            kind => others.entry(kind).or_insert(UNKNOWN),
        };
        if *known == UNKNOWN {
            *known = count;
            count += 1;
        }
        *known
    };
    items.iter().map(number).collect()
}

/// The number of items from each one up to the terminator behind it, that included; `None` where a
/// label or the end of the program comes before.
pub(super) fn lengths_to_terminator(items: &[Item]) -> Vec<Option<NonZeroU32>> {
    let mut lengths = vec![None; items.len()];
    let mut length = 0;
    for (item, place) in items.iter().zip(&mut lengths).rev() {
        length = match item.kind {
            ItemKind::Label(_) => 0,
            kind if kind.is_terminator() => 1,
            _ if length > 0 => length + 1,
            _ => 0,
        };
        *place = NonZeroU32::new(length);
    }
    lengths
}

/// True for items that do the same wherever they stand: no control comes or goes there.
pub(super) fn can_stand_alone(kind: ItemKind) -> bool {
    match kind {
        ItemKind::Op(opcode) => !matches!(opcode, Opcode::JUMPI | Opcode::PC) && !kind.is_terminator(),
        kind => kind.is_push(),
    }
}

/// Whether each item is followed by a failure, whatever happens.
pub(super) fn bound_to_fail(items: &[Item], num_labels: u32) -> Vec<bool> {
    let mut fails = vec![false; items.len()];
    let mut label_fails = vec![false; num_labels as usize];
    // Code that fails mostly goes on to code behind it: the second round finds the rest.
    for _ in 0..2 {
        let mut next = false;
        for (index, item) in items.iter().enumerate().rev() {
            let target = || match index.checked_sub(1).map(|before| items[before].kind) {
                Some(ItemKind::PushLabel(label)) => label_fails[label.0 as usize],
                _ => false,
            };
            next = match item.kind {
                ItemKind::Op(Opcode::REVERT | Opcode::INVALID) => true,
                ItemKind::Op(Opcode::JUMP) => target(),
                ItemKind::Op(Opcode::JUMPI) => next && target(),
                kind => next && !kind.is_terminator(),
            };
            if let ItemKind::Label(label) = item.kind {
                label_fails[label.0 as usize] = next;
            }
            fails[index] = next;
        }
    }
    fails
}

/// How often code runs: code that ends in a failure never counts, other code not always.
pub(super) fn frequency(terminator: ItemKind) -> Frequency {
    match terminator {
        ItemKind::Op(Opcode::REVERT | Opcode::INVALID) => Frequency::Never,
        _ => Frequency::OneIn(4),
    }
}

/// The part of the executions of the program that reach some code.
#[derive(Clone, Copy)]
pub(super) enum Frequency {
    /// So rarely that only bytes count.
    Never,
    /// One in so many.
    OneIn(u64),
}

impl PassContext {
    /// What code of this frequency weighs.
    pub(super) fn weigh_at(&self, cost: Cost, frequency: Frequency) -> u64 {
        let execution = match frequency {
            Frequency::Never => 0,
            Frequency::OneIn(parts) => cost.gas.saturating_mul(self.cost.executions) / parts,
        };
        execution.saturating_add(cost.bytes.saturating_mul(self.cost.byte_gas))
    }

    /// What reaching shared code by a jump costs: `PUSH label JUMP` here, `JUMPDEST` there.
    pub(super) fn jump_cost(&self) -> Cost {
        let jump = item_cost(ItemKind::PushLabel(Label(0)), self.fork) + Cost::of_op(Opcode::JUMP, self.fork);
        Cost { gas: jump.gas + gas::static_gas(Opcode::JUMPDEST, self.fork), ..jump }
    }
}

#[cfg(test)]
pub(super) mod testing {
    //! Programs for the tests of the passes on control flow.

    use super::*;
    use cairn_evm::CostModel;
    use cairn_evm::{Fork, Word};

    /// Words are mnemonics, decimal numbers, `Ln:` for a label, `Ln` for its push.
    pub(in crate::passes) fn program(text: &str) -> Program {
        let mut program = Program::default();
        for word in text.split_whitespace() {
            let kind = item(word);
            if let ItemKind::Label(Label(index)) | ItemKind::PushLabel(Label(index)) = kind {
                program.num_labels = program.num_labels.max(index + 1);
            }
            program.push_item(kind);
        }
        program
    }

    fn item(word: &str) -> ItemKind {
        let label = |digits: &str| digits.parse().ok().map(Label);
        let rest = word.strip_prefix('L');
        let defined = rest.and_then(|rest| rest.strip_suffix(':')).and_then(label).map(ItemKind::Label);
        let pushed = || rest.and_then(label).map(ItemKind::PushLabel);
        let number = || word.parse().ok().map(|number: u64| ItemKind::Push(Word::from(number)));
        let opcode = || ItemKind::Op(Opcode::from_name(word).expect("a mnemonic"));
        defined.or_else(pushed).or_else(number).unwrap_or_else(opcode)
    }

    /// Checks that the pass makes `after` of `before`.
    #[track_caller]
    pub(in crate::passes) fn expect(
        pass: fn(&mut Program, &PassContext) -> usize,
        before: &str,
        after: &str,
    ) {
        let cx = PassContext::new(Fork::Osaka, CostModel::deployed(200));
        let mut changed = program(before);
        let changes = pass(&mut changed, &cx);
        assert_eq!(changed.items, program(after).items, "{before}");
        assert_eq!(changes > 0, before != after, "the report of {before}");
    }

    /// Checks that the pass leaves `text` alone.
    #[track_caller]
    pub(in crate::passes) fn expect_kept(pass: fn(&mut Program, &PassContext) -> usize, text: &str) {
        expect(pass, text, text);
    }
}
