//! Loops of bytecode, as far as a path shows them.
//!
//! Where a jump was taken both ways too often, the path went around. Of the jumps that go both ways and lie on that way
//! the one to which the path came first is the test of the loop: the block that it ends is the head, and the block to which
//! the path went from there lies behind the test. What is taken for a loop and is none costs time and shows nothing.

use crate::looped::Before;
use crate::machine::CodeLoop;
use std::rc::Rc;

/// A jump that depends on the input, and the places to which the functions that are active return.
pub(super) type Division = (usize, u64);

/// What a path with places `P` does at loops.
#[derive(Clone)]
pub(super) struct AtLoops<P> {
    survey: Survey,
    /// Where it is stopped.
    watch: Rc<Vec<CodeLoop>>,
    /// How things were where the block began, and its beginning, if it is the head of a watched loop.
    pub(super) head: Option<(usize, Before<P>)>,
    /// The stop, where it is stopped.
    pub(super) stopped: Option<Stopped<P>>,
}

/// A path that is stopped at a loop.
#[derive(Clone)]
pub(super) struct Stopped<P> {
    /// How things were at the head of the loop, if the path comes from there.
    pub(super) before: Option<Before<P>>,
}

/// What a path saw of loops.
#[derive(Clone, Default)]
struct Survey {
    /// The blocks that began, in the order of the path.
    blocks: Vec<usize>,
    /// The divisions that went both ways, in the order of the path, and how many blocks had begun.
    divisions: Vec<(Division, usize)>,
}

impl Survey {
    /// The block that a division ends, and the one to which the path went.
    fn way(&self, begun: usize) -> Option<CodeLoop> {
        let head = begun.checked_sub(1).map_or(Some(&0), |last| self.blocks.get(last))?;
        Some(CodeLoop { head: *head, behind_test: *self.blocks.get(begun)? })
    }
}

impl<P> AtLoops<P> {
    /// Takes note of what is needed to find loops, and stops at these.
    pub(super) fn watching(watch: Vec<CodeLoop>) -> Self {
        AtLoops { survey: Survey::default(), watch: Rc::new(watch), head: None, stopped: None }
    }

    /// Takes note of a division that goes both ways.
    pub(super) fn note_division(&mut self, division: Division) {
        self.survey.divisions.push((division, self.survey.blocks.len()));
    }

    /// Takes note of a block that begins; true if the path is to be stopped there.
    pub(super) fn arrives(&mut self, pc: usize) -> bool {
        self.survey.blocks.push(pc);
        let before = self.head.take();
        let known = self.watch.iter().find(|known| known.behind_test == pc);
        // Other ways than that from the head have not taken the test.
        let from_head =
            |known: &CodeLoop| before.filter(|(pc, _)| *pc == known.head).map(|(_, before)| before);
        self.stopped = known.map(|known| Stopped { before: from_head(known) });
        self.stopped.is_some()
    }

    /// True of the head of a watched loop behind whose test another block lies.
    pub(super) fn is_head(&self, pc: usize) -> bool {
        self.watch.iter().any(|known| known.head == pc && known.behind_test != pc)
    }

    /// The loop of a division to which a path came back.
    pub(super) fn found(&self, division: Division) -> Option<CodeLoop> {
        let survey = &self.survey;
        let (_, begun) = survey.divisions.iter().rfind(|(passed, _)| *passed == division)?;
        let around = survey.blocks.get(*begun..)?;
        let mut ways = survey.divisions.iter().filter_map(|(_, begun)| survey.way(*begun));
        ways.find(|way| around.contains(&way.head) && around.contains(&way.behind_test))
    }
}
