//! `drop-pops`: words that nobody takes any more stay on the stack where the run ends.
//!
//! Effect: `POP`, `SWAPn`, `DUPn` and pushes vanish where the code behind takes nothing from the stack, and
//! `SWAPn` with `n` `POP`s behind it where it takes one word, if it halts on every way, whoever called. Code that is reached with stacks of
//! different heights and only takes what lies on top works on all of them.
//!
//! How deep code reaches is found backwards; code whose jumps are not to labels that are pushed right before
//! may reach any depth, and so may loops. The stack is as high as before the `POP`s, plus what the end pushes.
//! Cost: linear.

use super::flow::stack_effect;
use super::pass::{Level, Pass, PassContext};
use crate::program::{Item, ItemKind, Label, Program};
use cairn_evm::Opcode;

/// See the head of this module.
pub(super) const PASS: Pass = Pass {
    name: "drop-pops",
    summary: "words that nobody takes any more stay where the run ends",
    level: Level::Quick,
    run,
};

/// Sweeps: code mostly goes on to code behind it, the second finds the rest.
const SWEEPS: usize = 2;

fn run(program: &mut Program, cx: &PassContext) -> usize {
    if cx.strict_stack {
        return 0;
    }
    let mut depths = Depths { of_labels: vec![None; program.num_labels as usize], needless: Vec::new() };
    for _ in 0..SWEEPS {
        depths.sweep(program);
    }
    let count = depths.needless.iter().filter(|is_needless| **is_needless).count();
    if count > 0 {
        let mut needless = depths.needless.iter();
        program.items.retain(|_| !needless.next().copied().unwrap_or_default());
    }
    count
}

/// How many words of the stack code may reach until it halts; `None` for any number of them, or if it may
/// not halt.
type Depth = Option<usize>;

struct Depths {
    of_labels: Vec<Depth>,
    /// Which items do nothing that is seen.
    needless: Vec<bool>,
}

impl Depths {
    fn sweep(&mut self, program: &Program) {
        let items = &program.items;
        self.needless = vec![false; items.len()];
        // Something may be put behind the end.
        let mut next: Depth = None;
        for (index, item) in items.iter().enumerate().rev() {
            let before = index.checked_sub(1).map(|before| items[before].kind);
            next = match item.kind {
                ItemKind::Label(Label(label)) => {
                    self.of_labels[label as usize] = next;
                    next
                }
                kind if next == Some(0) && only_moves(kind) => {
                    self.needless[index] = true;
                    next
                }
                ItemKind::Op(Opcode::JUMP) => self.target(before).map(|depth| depth + 1),
                ItemKind::Op(Opcode::JUMPI) => {
                    next.zip(self.target(before)).map(|(next, target)| next.max(target) + 2)
                }
                // The word on top goes below those that are popped, and comes up again.
                kind => match pops_behind_swap(items, index) {
                    Some(n_pops) if next == Some(n_pops + 1) => {
                        self.needless[index..=index + n_pops].fill(true);
                        Some(1)
                    }
                    _ => through(kind, next),
                },
            };
        }
    }

    /// The depth of the code at a label that is pushed.
    fn target(&self, push: Option<ItemKind>) -> Depth {
        match push? {
            ItemKind::PushLabel(Label(label)) => self.of_labels[label as usize],
            _ => None,
        }
    }
}

/// True for items that only put words on the stack, take them away or exchange them.
fn only_moves(kind: ItemKind) -> bool {
    match kind {
        ItemKind::Op(opcode) => {
            opcode == Opcode::POP || opcode.dup_depth().is_some() || opcode.swap_depth().is_some()
        }
        kind => kind.is_push(),
    }
}

/// `n` of a `SWAPn` with `n` `POP`s behind it.
fn pops_behind_swap(items: &[Item], index: usize) -> Option<usize> {
    let ItemKind::Op(opcode) = items[index].kind else { return None };
    let n_pops = usize::from(opcode.swap_depth()?);
    let pops = items.get(index + 1..=index + n_pops)?;
    pops.iter().all(|item| item.kind == ItemKind::Op(Opcode::POP)).then_some(n_pops)
}

/// The depth before an item that goes on to the next one, or halts.
fn through(kind: ItemKind, next: Depth) -> Depth {
    if let ItemKind::Op(opcode) = kind {
        if let Some(depth) = opcode.dup_depth() {
            return next.map(|next| usize::from(depth).max(next.saturating_sub(1)));
        }
        if let Some(depth) = opcode.swap_depth() {
            return next.map(|next| next.max(usize::from(depth) + 1));
        }
        if opcode.halts() {
            return stack_effect(kind).map(|(inputs, _)| inputs);
        }
    }
    let (inputs, outputs) = match kind {
        ItemKind::OpImmediate(..) | ItemKind::Verbatim { .. } => return None,
        kind => stack_effect(kind)?,
    };
    next.map(|next| inputs + next.saturating_sub(outputs))
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::passes::flow::testing::{expect, expect_kept};

    #[test]
    fn before_an_end() {
        expect(run, "POP POP STOP", "STOP");
        expect(run, "CALLER POP 0 0 REVERT", "CALLER 0 0 REVERT");
        expect(
            run,
            "L0 JUMPI POP L1 JUMP L0: JUMP L1: CALLER 0 MSTORE STOP",
            "L0 JUMPI L1 JUMP L0: JUMP L1: CALLER 0 MSTORE STOP",
        );
    }

    #[test]
    fn words_that_are_taken() {
        expect_kept(run, "POP 0 MSTORE STOP");
        expect_kept(run, "POP DUP1 MSTORE STOP");
        expect_kept(run, "POP CALLER SWAP1 MSTORE STOP");
        expect_kept(run, "POP RETURN");
        expect_kept(run, "POP L0 JUMP L0: 0 MSTORE STOP");
        expect(run, "POP DUP1 POP SWAP2 5 STOP", "STOP");
    }

    #[test]
    fn code_that_may_come_back() {
        expect_kept(run, "POP CALLER");
        expect_kept(run, "POP JUMP");
        expect_kept(run, "POP CALLER JUMP");
        expect_kept(run, "POP L1 L0 JUMP L0: JUMP L1: STOP");
        expect_kept(run, "L0: POP L0 JUMP");
        expect_kept(run, "POP L0 CALLER JUMPI STOP L0: JUMP");
    }

    #[test]
    fn every_way_counts() {
        expect_kept(run, "POP CALLER L0 JUMPI STOP L0: 0 MSTORE STOP");
        expect(
            run,
            "POP CALLER L0 JUMPI STOP L0: CALLER 0 MSTORE STOP",
            "CALLER L0 JUMPI STOP L0: CALLER 0 MSTORE STOP",
        );
    }

    #[test]
    fn words_below_the_one_that_is_taken() {
        expect(run, "SWAP3 POP POP POP 0 MSTORE STOP", "0 MSTORE STOP");
        expect_kept(run, "SWAP3 POP POP 0 MSTORE STOP");
        expect_kept(run, "SWAP2 POP POP MSTORE STOP");
    }
}
