//! `thread-jumps`: jumps to jumps go to the last target.
//!
//! Effect: `L1: PUSH L2 JUMP` makes every push of `L1` a push of `L2`; of labels in a row only the
//! first is used. Endless jumps in a circle are left alone.

use super::flow::Aliases;
use super::pass::{Level, Pass, PassContext};
use crate::program::{ItemKind, Program};
use cairn_evm::Opcode;

/// See the head of this module.
pub(super) const PASS: Pass =
    Pass { name: "thread-jumps", summary: "jumps to jumps go to the last target", level: Level::Basic, run };

fn run(program: &mut Program, _: &PassContext) -> usize {
    let mut aliases = Aliases::new(program);
    for index in 0..program.items.len() {
        let ItemKind::Label(label) = program.items[index].kind else { continue };
        match (program.items.get(index + 1).map(|item| item.kind), program.items.get(index + 2)) {
            (Some(ItemKind::Label(next)), _) => _ = aliases.redirect(next, label),
            (Some(ItemKind::PushLabel(target)), Some(jump)) if jump.kind == ItemKind::Op(Opcode::JUMP) => {
                aliases.redirect(label, target);
            }
            _ => {}
        }
    }
    aliases.apply(program)
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::passes::flow::testing::{expect, expect_kept};

    #[test]
    fn jumps_to_jumps() {
        expect(run, "L0 JUMPI STOP L0: L1 JUMP L1: CALLER", "L1 JUMPI STOP L0: L1 JUMP L1: CALLER");
        expect(run, "L0 JUMP L0: L1 JUMP L1: L2 JUMP L2: STOP", "L2 JUMP L0: L2 JUMP L1: L2 JUMP L2: STOP");
    }

    #[test]
    fn labels_in_a_row() {
        expect(run, "L1 L0 JUMP L0: L1: STOP", "L0 L0 JUMP L0: L1: STOP");
        expect(run, "L0 JUMPI STOP L0: L1: L2 JUMP L2: STOP", "L2 JUMPI STOP L0: L1: L2 JUMP L2: STOP");
    }

    #[test]
    fn what_is_no_jump_to_a_jump() {
        expect_kept(run, "L0 JUMP L0: CALLER L1 JUMP L1: STOP");
        expect_kept(run, "L0 JUMP L0: L1 JUMPI L1: STOP");
    }

    #[test]
    fn endless_jumps() {
        expect_kept(run, "L0: L0 JUMP");
        expect(run, "L0: L1 JUMP L1: L0 JUMP", "L0: L1 JUMP L1: L1 JUMP");
    }
}
