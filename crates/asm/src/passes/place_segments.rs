//! `place-segments`: puts the target of a jump behind the jump, which then vanishes.
//!
//! Effect: segments are strung together where one ends with a jump to the beginning of another
//! that no segment precedes yet: first where that jump is the only use of the label, then in the
//! order of the code. A branch that ends in a jump to a place that is taken may be turned round:
//! `PUSH L1 JUMPI PUSH L2 JUMP` → `ISZERO PUSH L2 JUMPI`, followed by the segment of `L1`.
//! The first segment stays first; the others keep their order otherwise.
//! Cost: linear but for the look-ups that keep strings from closing into circles, which are nearly
//! constant each.

use super::flow::{final_jump, label_uses, segments};
use super::pass::{Level, Pass, PassContext};
use crate::program::{Item, ItemKind, Label, Program};
use cairn_evm::Opcode;
use std::ops::Range;

/// See the head of this module.
pub(super) const PASS: Pass = Pass {
    name: "place-segments",
    summary: "puts the target of a jump behind the jump, which then vanishes",
    level: Level::Quick,
    run,
};

fn run(program: &mut Program, _: &PassContext) -> usize {
    let falls_off = program.items.last().is_some_and(|item| !item.kind.is_terminator());
    if falls_off {
        program.push_item(ItemKind::Op(Opcode::STOP));
    }
    let mut strings = Strings::new(program);
    strings.link_jumps(|uses| uses == 1);
    strings.link_jumps(|_| true);
    strings.link_branches();
    let links = strings.num_links;
    if links > 0 {
        program.items = strings.emit();
    } else if falls_off {
        program.items.pop();
    }
    links
}

/// What stands between two segments that are strung together.
#[derive(Clone, Copy)]
enum Link {
    /// The jump at the end of the first is left out.
    Jump(usize),
    /// The branch at the end of the first is turned round.
    Branch(usize),
}

struct Strings<'a> {
    items: &'a [Item],
    segments: Vec<Range<usize>>,
    uses: Vec<u32>,
    /// The segment that begins with each label.
    heads: Vec<Option<usize>>,
    next: Vec<Option<Link>>,
    has_previous: Vec<bool>,
    /// Union-find over the segments of a string.
    groups: Vec<usize>,
    num_links: usize,
}

impl<'a> Strings<'a> {
    fn new(program: &'a Program) -> Self {
        let segments = segments(&program.items);
        let mut heads = vec![None; program.num_labels as usize];
        for (index, segment) in segments.iter().enumerate() {
            for item in &program.items[segment.clone()] {
                let ItemKind::Label(Label(label)) = item.kind else { break };
                heads[label as usize] = Some(index);
            }
        }
        Strings {
            items: &program.items,
            uses: label_uses(program),
            heads,
            next: vec![None; segments.len()],
            has_previous: vec![false; segments.len()],
            groups: (0..segments.len()).collect(),
            segments,
            num_links: 0,
        }
    }

    fn group(&mut self, segment: usize) -> usize {
        let mut root = segment;
        while self.groups[root] != root {
            self.groups[root] = self.groups[self.groups[root]];
            root = self.groups[root];
        }
        root
    }

    /// The segment that begins with `label`, if it can follow `segment`.
    fn follower(&mut self, segment: usize, label: Label) -> Option<usize> {
        let head = self.heads[label.0 as usize]?;
        let free = head != 0 && self.next[segment].is_none() && !self.has_previous[head];
        (free && self.group(head) != self.group(segment)).then_some(head)
    }

    fn link(&mut self, segment: usize, head: usize, link: Link) {
        self.next[segment] = Some(link);
        self.has_previous[head] = true;
        let (from, to) = (self.group(segment), self.group(head));
        self.groups[to] = from;
        self.num_links += 1;
    }

    /// Links segments by the jumps at their ends, where the number of uses of the label allows.
    fn link_jumps(&mut self, allows: impl Fn(u32) -> bool) {
        for segment in 0..self.segments.len() {
            let Some(label) = final_jump(&self.items[self.segments[segment].clone()]) else { continue };
            if !allows(self.uses[label.0 as usize]) {
                continue;
            }
            if let Some(head) = self.follower(segment, label) {
                self.link(segment, head, Link::Jump(head));
            }
        }
    }

    /// Links segments by the branches before the jumps at their ends.
    fn link_branches(&mut self) {
        for segment in 0..self.segments.len() {
            let items = &self.items[self.segments[segment].clone()];
            let Some(label) = final_jump(items).and_then(|_| final_branch(&items[..items.len() - 2])) else {
                continue;
            };
            if let Some(head) = self.follower(segment, label) {
                self.link(segment, head, Link::Branch(head));
            }
        }
    }

    /// The items in their new order.
    fn emit(&self) -> Vec<Item> {
        let mut output = Vec::with_capacity(self.items.len());
        for start in (0..self.segments.len()).filter(|segment| !self.has_previous[*segment]) {
            let mut current = Some(start);
            while let Some(segment) = current {
                let items = &self.items[self.segments[segment].clone()];
                current = match self.next[segment] {
                    None => {
                        output.extend_from_slice(items);
                        None
                    }
                    Some(Link::Jump(head)) => {
                        output.extend_from_slice(&items[..items.len() - 2]);
                        Some(head)
                    }
                    Some(Link::Branch(head)) => {
                        turn_round(items, &mut output);
                        Some(head)
                    }
                };
            }
        }
        output
    }
}

/// The target when a piece of code ends with `PUSH label JUMPI`.
fn final_branch(items: &[Item]) -> Option<Label> {
    let [.., Item { kind: ItemKind::PushLabel(label), .. }, branch] = items else { return None };
    (branch.kind == ItemKind::Op(Opcode::JUMPI)).then_some(*label)
}

/// Writes a segment that ends with `PUSH L1 JUMPI PUSH L2 JUMP` so that it goes on where it
/// jumped to `L1`.
fn turn_round(items: &[Item], output: &mut Vec<Item>) {
    let [before @ .., _, branch, target, _] = items else { return };
    output.extend_from_slice(before);
    output.push(Item { kind: ItemKind::Op(Opcode::ISZERO), ..*branch });
    output.extend([*target, *branch]);
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::passes::flow::testing::{expect, expect_kept};

    #[test]
    fn the_only_jump_comes_first() {
        expect(
            run,
            "CALLER L0 JUMPI L1 JUMP L0: ADDRESS L2 JUMP L1: ORIGIN L2 JUMP L2: STOP",
            "CALLER L0 JUMPI L1: ORIGIN L2 JUMP L0: ADDRESS L2: STOP",
        );
    }

    #[test]
    fn chains() {
        expect(run, "L1 JUMP L0: STOP L1: CALLER L0 JUMP", "L1: CALLER L0: STOP");
    }

    #[test]
    fn branches_are_turned_round() {
        expect(
            run,
            "CALLER L0: ADDRESS L1 JUMPI L0 JUMP L2: STOP L1: ORIGIN STOP",
            "CALLER L0: ADDRESS ISZERO L0 JUMPI L1: ORIGIN STOP L2: STOP",
        );
    }

    #[test]
    fn circles_and_places_that_are_taken() {
        expect_kept(run, "L0: CALLER L0 JUMP");
        expect_kept(run, "CALLER L0: ADDRESS L0 JUMP");
        expect_kept(run, "STOP L0: CALLER L1: L0 JUMP");
    }

    #[test]
    fn code_that_falls_off_its_end_gets_a_stop() {
        expect(run, "L1 JUMP L0: CALLER STOP L1: ADDRESS", "L1: ADDRESS STOP L0: CALLER STOP");
    }
}
