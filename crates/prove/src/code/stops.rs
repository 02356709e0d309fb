//! A path of bytecode that is stopped at loops.

use super::loops::AtLoops;
use super::place::{CodePlace, Flowing, Spot};
use crate::looped::{Before, Looped};
use crate::machine::{CodeLoop, Machine, State};
use crate::term::{Term, Terms};
use std::rc::Rc;

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
        let targets = self.stack.iter().map(|word| self.target(terms, *word));
        Location { spot: self.spot(), targets: targets.collect() }
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

    fn with_loops(&self, watch: Vec<CodeLoop>) -> Self {
        let mut place = self.clone();
        place.loops = Some(Box::new(AtLoops::watching(watch)));
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
        self.with_loops(Vec::new())
    }

    fn watching(&self, machine: &Machine) -> Option<Self> {
        let watch: Vec<CodeLoop> = machine.cut.loops.iter().copied().collect();
        let is_any = !watch.is_empty();
        is_any.then(|| self.with_loops(watch))
    }

    fn stop(&self, terms: &Terms) -> Option<(Location, Option<Before<Self>>)> {
        Some((self.location(terms), self.loops.as_ref()?.stopped.as_ref()?.before.clone()))
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
