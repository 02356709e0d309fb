//! Loops of bytecode, as far as a path shows them.
//!
//! Where a jump was taken both ways too often, the path went around. Of the jumps that go both ways and lie on that way
//! the one to which the path came first is the test of the loop: the block that it ends is the head, and the block to which
//! the path went from there lies behind the test. What is taken for a loop and is none costs time and shows nothing.

use super::place::{CodePlace, Flowing, Spot};
use crate::looped::{Before, Looped};
use crate::machine::{Machine, State};
use crate::term::{Term, Terms};
use std::rc::Rc;

/// A jump that depends on the input, and the places to which the functions that are active return.
pub(super) type Division = (usize, u64);

/// A loop, by the beginnings of two blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CodeLoop {
    head: usize,
    behind_test: usize,
}

/// What a path does at loops, if it does anything there.
#[derive(Clone, Default)]
pub(super) struct AtLoops {
    /// What it saw, if it takes note.
    survey: Option<Survey>,
    /// Where it is stopped.
    watch: Rc<Vec<CodeLoop>>,
    /// How things were where the block began, and its beginning, if it is the head of a watched loop.
    head: Option<(usize, Before<CodePlace>)>,
    /// Where it is stopped: how things were at the head of the loop, if the path comes from there.
    stopped: Option<Option<Before<CodePlace>>>,
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

impl AtLoops {
    /// Takes note of a division that goes both ways.
    pub(super) fn note_division(&mut self, division: Division) {
        if let Some(survey) = &mut self.survey {
            survey.divisions.push((division, survey.blocks.len()));
        }
    }

    /// Takes note of a block that begins; true if the path is to be stopped there.
    fn arrives(&mut self, pc: usize) -> bool {
        if let Some(survey) = &mut self.survey {
            survey.blocks.push(pc);
        }
        let before = self.head.take();
        let known = self.watch.iter().find(|known| known.behind_test == pc);
        // Other ways than that from the head have not taken the test.
        let from_head =
            |known: &CodeLoop| before.filter(|(pc, _)| *pc == known.head).map(|(_, before)| before);
        self.stopped = known.map(from_head);
        self.stopped.is_some()
    }

    /// True of the head of a watched loop behind whose test another block lies.
    fn is_head(&self, pc: usize) -> bool {
        self.watch.iter().any(|known| known.head == pc && known.behind_test != pc)
    }

    /// The loop of a division to which a path came back.
    pub(super) fn found(&self, division: Division) -> Option<CodeLoop> {
        let survey = self.survey.as_ref()?;
        let (_, begun) = survey.divisions.iter().rfind(|(passed, _)| *passed == division)?;
        let around = survey.blocks.get(*begun..)?;
        let mut ways = survey.divisions.iter().filter_map(|(_, begun)| survey.way(*begun));
        ways.find(|way| around.contains(&way.head) && around.contains(&way.behind_test))
    }
}

/// The beginning of a block, and the words of the stack that are beginnings of blocks there: some of them are places to
/// which functions return.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    spot: Spot,
    targets: Vec<Option<u64>>,
}

impl CodePlace {
    /// Takes note of a block that begins; true if the path is to be stopped there.
    pub(super) fn arrives_at_loop(&mut self, state: &State) -> bool {
        let Some(loops) = &mut self.loops else { return false };
        let stops = loops.arrives(self.pc);
        self.note_head(state);
        if stops {
            self.flow = Flowing::FromStop;
        }
        stops
    }

    /// The path goes on from where it was stopped.
    pub(super) fn leaves_stop(&mut self) {
        if let Some(loops) = &mut self.loops {
            loops.stopped = None;
        }
    }

    /// True of two paths that came from the head of a loop at the same time, or not right from one.
    pub(super) fn comes_like(&self, other: &CodePlace) -> bool {
        let head = |place: &CodePlace| Some(Rc::as_ptr(&place.loops.as_ref()?.head.as_ref()?.1));
        head(self) == head(other)
    }

    fn location(&self, terms: &Terms) -> Location {
        let target = |word: &Term| terms.as_u64(*word).filter(|pc| self.is_target(*pc));
        Location { spot: self.spot(), targets: self.stack.iter().map(target).collect() }
    }

    /// Takes note of how things are, if this is the head of a watched loop.
    fn note_head(&mut self, state: &State) {
        if !self.loops.as_ref().is_some_and(|loops| loops.is_head(self.pc)) {
            return;
        }
        let mut copy = self.stopping_at(None);
        copy.leaves_stop();
        let before = Rc::new((copy, state.clone()));
        if let Some(loops) = &mut self.loops {
            loops.head = Some((self.pc, before));
        }
    }

    fn with_loops(&self, loops: AtLoops) -> Self {
        let mut place = self.clone();
        place.loops = Some(Box::new(loops));
        place
    }
}

impl Looped for CodePlace {
    type Location = Location;

    fn is_same_location(a: &Location, b: &Location) -> bool {
        // A word that is a number in one round and another one in the next is no place to return to.
        let targets = a.targets.iter().zip(&b.targets);
        let differs = |(a, b): (&Option<u64>, &Option<u64>)| matches!((a, b), (Some(a), Some(b)) if a != b);
        a.spot == b.spot && !targets.into_iter().any(differs)
    }

    fn surveying(&self) -> Self {
        self.with_loops(AtLoops { survey: Some(Survey::default()), ..AtLoops::default() })
    }

    fn watching(&self, machine: &mut Machine) -> Option<Self> {
        let watch: Vec<CodeLoop> = std::mem::take(&mut machine.cut_code).into_iter().collect();
        let is_any = !watch.is_empty();
        is_any.then(|| self.with_loops(AtLoops { watch: Rc::new(watch), ..AtLoops::default() }))
    }

    fn stop(&self, terms: &Terms) -> Option<(Location, Option<Before<Self>>)> {
        Some((self.location(terms), self.loops.as_ref()?.stopped.clone()?))
    }

    fn strays_from(&self, stop: &Location) -> bool {
        self.pc != stop.spot.pc
    }

    fn beginning(&self, state: &State) -> Self {
        let mut place = self.stopping_at(None);
        // Where a path is stopped at one loop, another may begin.
        if self.loops.as_ref().is_some_and(|loops| loops.stopped.is_some()) {
            place.note_head(state);
        }
        place
    }

    fn words(&self) -> Vec<Term> {
        self.stack.clone()
    }

    fn widths(&self) -> Vec<u16> {
        vec![256; self.stack.len()]
    }

    fn words_of(&self, other: &Self) -> Option<Vec<Term>> {
        (self.stack.len() == other.stack.len()).then(|| self.stack.clone())
    }

    fn with_words(&self, words: &[Term]) -> Self {
        let mut place = self.clone();
        place.stack = words.to_vec();
        place
    }
}
