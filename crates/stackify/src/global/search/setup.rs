//! Operand set-up: which stacks an instruction's operands can be arranged into.
//!
//! The operands must end on top in their order. Each is either *consumed* (a copy that nobody else
//! needs moves up) or copied. Consumed copies leave *holes*; words that lie where operands must go
//! are *displaced* and fill the holes, each the hole of the operand that takes its place where
//! possible, so that one `SWAP` serves both. The choices of what to consume give a few targets;
//! the search prices them all.

use crate::global::stack::slot::{Slot, SlotSet, Stack};
use smallvec::SmallVec;
use std::ops::Range;

/// A wanted stack.
#[derive(Debug)]
pub(crate) struct Target {
    /// The words, bottom first.
    pub(crate) stack: Stack,
    /// Words from the bottom that are where they were.
    pub(crate) same: usize,
}

/// Wanted stacks, the likely best first.
pub(crate) type Targets = SmallVec<[Target; 4]>;

/// Height from which dead words are removed to keep others in reach.
const CROWDED_HEIGHT: usize = 13;
/// The same where words have been out of reach.
const CROWDED_HEIGHT_EARLY: usize = 9;
/// Dead words this near the top are offered for removal.
pub(super) const NEAR_TOP: usize = 4;
/// The same in a crowded stack: those that lie deeper are out of reach or as good as that.
const NEAR_TOP_CROWDED: usize = 32;

/// How many copies of a word must remain.
pub(crate) trait Needs {
    /// Copies of `slot` that are needed after the operands are taken.
    fn need(&self, slot: Slot) -> usize;
}

/// Position of the copy each operand consumes, if it does.
type Taken = SmallVec<[Option<usize>; 8]>;

/// Operands to be arranged, and the stack they come from.
struct Setup<'a, N: Needs> {
    stack: &'a [Slot],
    operands: &'a [Slot],
    needs: &'a N,
    /// Dead words are dropped from further down.
    is_crowded: bool,
    /// Position of the copy each operand consumes.
    taken: Taken,
}

/// Whether words have been out of reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    Enough,
    /// Dead words are dropped early.
    Short,
}

/// All targets for bringing `operands` (deepest first) to the top of `stack`; of at most
/// `max_single_choices` movable ones each is consumed or copied alone.
pub(crate) fn targets<N: Needs>(
    stack: &[Slot],
    operands: &[Slot],
    needs: &N,
    room: Room,
    max_single_choices: usize,
) -> Targets {
    let height = match room {
        Room::Enough => CROWDED_HEIGHT,
        Room::Short => CROWDED_HEIGHT_EARLY,
    };
    let is_crowded = stack.len() >= height;
    let mut setup = Setup { stack, operands, needs, taken: SmallVec::new(), is_crowded };
    let prefix = setup.take_prefix();
    let mut targets = Targets::new();
    if prefix == operands.len() {
        targets.push(Target { stack: Stack::from_slice(stack), same: stack.len() });
        return targets;
    }
    let plain: Taken = SmallVec::from_slice(&setup.taken);
    setup.take_all(prefix);
    let all: Taken = SmallVec::from_slice(&setup.taken);
    let mut moved: SmallVec<[usize; 8]> = SmallVec::new();
    for at in prefix..operands.len() {
        if all[at].is_some() {
            moved.push(at);
        }
    }
    let dead = setup.dead_near_top();
    targets.push(setup.target(&[]));
    if !dead.is_empty() {
        targets.push(setup.target(&dead));
    }
    if moved.is_empty() {
        return targets;
    }
    setup.taken.copy_from_slice(&plain);
    targets.push(setup.target(&[]));
    if (2..=max_single_choices).contains(&moved.len()) {
        for at in moved {
            setup.taken.copy_from_slice(&plain);
            setup.taken[at] = all[at];
            targets.push(setup.target(&[]));
        }
    }
    targets
}

/// Copies of a word.
#[inline]
pub(crate) fn count(stack: &[Slot], slot: Slot) -> usize {
    // As a sum of words of the same width, which is done for several at once.
    stack.iter().map(|have| u32::from(*have == slot)).sum::<u32>() as usize
}

impl<N: Needs> Setup<'_, N> {
    /// Copies of `slot` that may be consumed, those taken already subtracted.
    fn spare(&self, slot: Slot) -> usize {
        let copies = count(self.stack, slot);
        if copies == 0 {
            return 0;
        }
        copies.saturating_sub(self.needs.need(slot) + self.num_taken(slot))
    }

    fn num_taken(&self, slot: Slot) -> usize {
        self.taken.iter().flatten().filter(|at| self.stack[**at] == slot).count()
    }

    /// Takes the longest run of operands that lies on top in order already; its length.
    fn take_prefix(&mut self) -> usize {
        let (height, count) = (self.stack.len(), self.operands.len());
        for len in (1..=count.min(height)).rev() {
            if self.stack[height - len..] != self.operands[..len] {
                continue;
            }
            self.taken.clear();
            for at in 0..len {
                if self.spare(self.operands[at]) == 0 {
                    break;
                }
                self.taken.push(Some(height - len + at));
            }
            if self.taken.len() == len {
                self.taken.resize(count, None);
                return len;
            }
        }
        self.taken.clear();
        self.taken.resize(count, None);
        0
    }

    /// Takes a copy for every other operand that has one to spare, the topmost.
    fn take_all(&mut self, prefix: usize) {
        for at in prefix..self.operands.len() {
            let slot = self.operands[at];
            if self.spare(slot) > 0 {
                let is_free =
                    |place: &usize| self.stack[*place] == slot && !self.taken.contains(&Some(*place));
                self.taken[at] = (0..self.stack.len()).rev().find(is_free);
            }
        }
    }

    /// Places near the top of copies that nobody needs and no operand takes: those below suffice.
    fn dead_near_top(&self) -> SmallVec<[usize; 8]> {
        let near = self.near_top();
        let mut below = SlotSet::default();
        for slot in &self.stack[..near.start] {
            below.insert(*slot);
        }
        let mut dead = SmallVec::new();
        for place in near {
            let slot = self.stack[place];
            let is_first = below.insert(slot);
            if self.taken.contains(&Some(place)) {
                continue;
            }
            let wanted = self.needs.need(slot) + self.num_taken(slot);
            if wanted == 0 || (!is_first && count(&self.stack[..=place], slot) > wanted) {
                dead.push(place);
            }
        }
        dead
    }

    /// Places whose words are dropped if they are dead.
    fn near_top(&self) -> Range<usize> {
        let near = if self.is_crowded { NEAR_TOP_CROWDED } else { NEAR_TOP };
        self.stack.len().saturating_sub(near)..self.stack.len()
    }

    /// The stack with the chosen operands on top, without these words.
    fn target(&self, dropped: &[usize]) -> Target {
        let height = self.stack.len();
        let rest = height - dropped.len() - self.taken.iter().flatten().count();
        // Words above `rest` go into holes below: of the operand that takes their place, or any.
        let mut target = Stack::from_slice(&self.stack[..rest]);
        let mut displaced: SmallVec<[usize; 16]> = SmallVec::new();
        for at in rest..height {
            if !dropped.contains(&at) && !self.taken.contains(&Some(at)) {
                displaced.push(at);
            }
        }
        let mut holes: SmallVec<[usize; 16]> = SmallVec::new();
        for at in dropped.iter().filter(|at| **at < rest) {
            holes.push(*at);
        }
        for (index, at) in self.taken.iter().enumerate() {
            let Some(hole) = at.filter(|at| *at < rest) else {
                continue;
            };
            match displaced.iter().position(|place| *place == rest + index) {
                Some(found) => target[hole] = self.stack[displaced.remove(found)],
                None => holes.push(hole),
            }
        }
        holes.sort_unstable();
        for (hole, place) in holes.iter().zip(&displaced) {
            target[*hole] = self.stack[*place];
        }
        target.extend_from_slice(self.operands);
        let moved = dropped.iter().chain(self.taken.iter().flatten());
        Target { stack: target, same: moved.fold(rest, |same, at| same.min(*at)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effort::Effort;
    use cairn_ir::Value;

    /// Values from 10 up are needed once more.
    struct Above;

    impl Needs for Above {
        fn need(&self, slot: Slot) -> usize {
            usize::from(slot.as_value().is_some_and(|value| value.as_u32() >= 10))
        }
    }

    fn stack(words: &[u32]) -> Stack {
        words.iter().map(|word| Slot::value(Value::from_u32(*word))).collect()
    }

    fn all(have: &[u32], operands: &[u32]) -> Vec<Stack> {
        targets(&stack(have), &stack(operands), &Above, Room::Enough, Effort::FULL.max_single_choices)
            .into_iter()
            .map(|target| {
                assert_eq!(target.stack[..target.same], stack(have)[..target.same], "told to be the same");
                target.stack
            })
            .collect()
    }

    #[test]
    fn operands_in_place_are_consumed() {
        assert_eq!(all(&[10, 1, 2], &[1, 2]), [stack(&[10, 1, 2])]);
    }

    #[test]
    fn needed_words_are_copied() {
        assert_eq!(all(&[10, 11], &[10, 11]), [stack(&[10, 11, 10, 11])]);
    }

    #[test]
    fn displaced_word_takes_the_hole() {
        assert_eq!(all(&[1, 10], &[1]), [stack(&[10, 1]), stack(&[1, 10, 1])]);
    }

    #[test]
    fn both_orders_of_dying_words_are_offered() {
        let offered = all(&[2, 1], &[1, 2]);
        assert_eq!(offered, [stack(&[1, 2]), stack(&[2, 1, 2])]);
    }

    #[test]
    fn dead_words_are_dropped_in_a_crowded_stack() {
        let have = [10, 1, 11, 11, 2, 12, 13, 14, 15, 16, 17, 18, 19];
        let without_dead = [10, 17, 11, 18, 19, 12, 13, 14, 15, 16, 10];
        assert_eq!(all(&have, &[10])[1], stack(&without_dead), "1, 2 and one of 11");
    }
}
