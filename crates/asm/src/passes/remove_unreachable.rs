//! `remove-unreachable`: removes code that nothing reaches and labels that nothing uses.
//!
//! Reached is what follows the start or a label that reached code pushes, up to a terminator.
//! Cost: linear; each item is visited once for the walk and once for the removal.

use super::pass::{Level, Pass, PassContext};
use crate::program::{ItemKind, Label, Program};

/// See the head of this module.
pub(super) const PASS: Pass = Pass {
    name: "remove-unreachable",
    summary: "removes code that nothing reaches and labels that nothing uses",
    level: Level::Basic,
    run,
};

fn run(program: &mut Program, _: &PassContext) -> usize {
    let (reached, used) = walk(program);
    let before = program.items.len();
    let mut index = 0;
    program.items.retain(|item| {
        index += 1;
        let unused = matches!(item.kind, ItemKind::Label(Label(label)) if !used[label as usize]);
        reached[index - 1] && !unused
    });
    before - program.items.len()
}

/// Which items are reached, and which labels reached code pushes.
fn walk(program: &Program) -> (Vec<bool>, Vec<bool>) {
    let mut places = vec![None; program.num_labels as usize];
    for (index, item) in program.items.iter().enumerate() {
        if let ItemKind::Label(Label(label)) = item.kind {
            places[label as usize] = Some(index);
        }
    }
    let mut reached = vec![false; program.items.len()];
    let mut used = vec![false; program.num_labels as usize];
    let mut pending = vec![0];
    while let Some(mut index) = pending.pop() {
        while index < reached.len() && !std::mem::replace(&mut reached[index], true) {
            let kind = program.items[index].kind;
            for Label(label) in program.pushed_labels(&kind) {
                if !std::mem::replace(&mut used[*label as usize], true) {
                    pending.extend(places[*label as usize]);
                }
            }
            if kind.is_terminator() {
                break;
            }
            index += 1;
        }
    }
    (reached, used)
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::passes::flow::testing::{expect, expect_kept};

    #[test]
    fn code_after_a_terminator() {
        expect(run, "STOP CALLER", "STOP");
        expect(run, "JUMP L0: STOP", "JUMP");
        expect(run, "L0 JUMP CALLER POP L0: STOP", "L0 JUMP L0: STOP");
    }

    #[test]
    fn unused_labels() {
        expect(run, "CALLER L0: STOP", "CALLER STOP");
    }

    #[test]
    fn circles_that_nothing_enters() {
        expect(run, "STOP L0: L1 JUMP L1: L0 JUMP", "STOP");
    }

    #[test]
    fn what_is_reached_stays() {
        expect_kept(run, "L0 JUMPI STOP L0: L1 JUMP L1: STOP");
        expect_kept(run, "L0 CALLER JUMP L0: STOP");
        expect_kept(run, "");
    }
}
