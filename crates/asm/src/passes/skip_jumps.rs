//! `skip-jumps`: jumps to the next instruction vanish; branches over a jump take its target.
//!
//! Effect: `PUSH L JUMP L:` → `L:`, `PUSH L JUMPI L:` → `POP L:`,
//! `PUSH L1 JUMPI PUSH L2 JUMP L1:` → `ISZERO PUSH L2 JUMPI L1:`. There may be more labels before
//! the one that is meant.

use super::pass::{Level, Pass, PassContext};
use crate::program::{Item, ItemKind, Label, Program};
use cairn_evm::Opcode;

const JUMP: ItemKind = ItemKind::Op(Opcode::JUMP);
const JUMPI: ItemKind = ItemKind::Op(Opcode::JUMPI);

/// See the head of this module.
pub(super) const PASS: Pass = Pass {
    name: "skip-jumps",
    summary: "jumps to the next instruction vanish; branches over a jump take its target",
    level: Level::Basic,
    run,
};

fn run(program: &mut Program, _: &PassContext) -> usize {
    let mut changes = 0;
    let mut output: Vec<Item> = Vec::with_capacity(program.items.len());
    let mut copied = 0;
    for (index, item) in program.items.iter().enumerate() {
        if !matches!(item.kind, JUMP | JUMPI) {
            continue;
        }
        output.extend_from_slice(&program.items[copied..=index]);
        copied = index + 1;
        let follows = |label| labels_follow(&program.items[index + 1..], label);
        while skip(&mut output, follows) {
            changes += 1;
        }
    }
    output.extend_from_slice(&program.items[copied..]);
    program.items = output;
    changes
}

/// True when `label` is among the labels that the items begin with.
fn labels_follow(items: &[Item], label: Label) -> bool {
    let kinds = items.iter().map(|item| item.kind);
    kinds.take_while(|kind| matches!(kind, ItemKind::Label(_))).any(|kind| kind == ItemKind::Label(label))
}

/// Removes or changes the jump at the end of `output`, given which labels follow it.
fn skip(output: &mut Vec<Item>, follows: impl Fn(Label) -> bool) -> bool {
    let Some(start) = output.len().checked_sub(2) else { return false };
    let (ItemKind::PushLabel(target), jump) = (output[start].kind, output[start + 1].kind) else {
        return false;
    };
    if follows(target) {
        match jump {
            JUMP => output.truncate(start),
            JUMPI => {
                output.truncate(start + 1);
                output[start].kind = ItemKind::Op(Opcode::POP);
            }
            _ => return false,
        }
        return true;
    }
    let Some(branch) = start.checked_sub(2).filter(|_| jump == JUMP) else { return false };
    let (ItemKind::PushLabel(over), JUMPI) = (output[branch].kind, output[branch + 1].kind) else {
        return false;
    };
    if !follows(over) {
        return false;
    }
    let (push, jumpi) = (output[start], output[branch + 1]);
    output.truncate(branch + 1);
    output[branch].kind = ItemKind::Op(Opcode::ISZERO);
    output.extend([push, jumpi]);
    true
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::passes::flow::testing::{expect, expect_kept};

    #[test]
    fn jumps_to_the_next_instruction() {
        expect(run, "CALLER L0 JUMP L0: STOP", "CALLER L0: STOP");
        expect(run, "CALLER L0 JUMP L1: L0: STOP", "CALLER L1: L0: STOP");
        expect(run, "CALLER L0 JUMPI L0: STOP", "CALLER POP L0: STOP");
        expect(run, "CALLER L0 JUMPI L0 JUMP L0: STOP", "CALLER POP L0: STOP");
    }

    #[test]
    fn branches_over_a_jump() {
        expect(run, "CALLER L0 JUMPI L1 JUMP L0: STOP L1: STOP", "CALLER ISZERO L1 JUMPI L0: STOP L1: STOP");
    }

    #[test]
    fn jumps_elsewhere() {
        expect_kept(run, "L1 JUMP L0: STOP L1: STOP");
        expect_kept(run, "CALLER L1 JUMPI L2 JUMP L0: STOP L1: STOP L2: STOP");
        expect_kept(run, "L0 CALLER JUMP L0: STOP");
        expect_kept(run, "JUMP L0: STOP");
    }
}
