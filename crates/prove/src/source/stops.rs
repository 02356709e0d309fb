//! A path of a module that is stopped at loops, and its values as a list.

use super::datum::{Datum, bits};
use super::loops::{Location, Watch};
use super::place::SourcePlace;
use crate::looped::{Before, Looped};
use crate::machine::{Machine, State};
use crate::term::{Term, Terms};
use cairn_ir::{Block, EntityRef, Module, Value};
use std::rc::Rc;

impl<'m> SourcePlace<'m> {
    pub(super) fn location(&self, block: Block) -> Location {
        Location { calls: self.frames.iter().map(|frame| (frame.func, frame.call)).collect(), block }
    }

    /// Takes note of a block that is entered; true if the path is to be stopped there.
    pub(super) fn arrives(&mut self, block: Block, state: &State) -> bool {
        let Some(func) = self.frames.last().map(|frame| frame.func) else { return false };
        let watch = self.watch.clone();
        let stops = watch.stops.contains_key(&(func, block));
        if stops {
            self.stopped_at = Some(block);
        }
        if watch.heads.contains(&(func, block)) && watch.is_tested(func, block) {
            self.note_head(block, state);
        }
        stops
    }

    fn note_head(&mut self, block: Block, state: &State) {
        let location = self.location(block);
        let mut copy = self.clone();
        copy.heads.clear();
        copy.stopped_at = None;
        self.heads.retain(|(other, _)| *other != location);
        self.heads.push((location, Rc::new((copy, state.clone()))));
    }

    /// The module.
    pub(crate) fn module(&self) -> &'m Module {
        self.module
    }
}

impl Looped for SourcePlace<'_> {
    type Location = Location;

    fn is_same_location(a: &Location, b: &Location) -> bool {
        a == b
    }

    fn surveying(&self) -> Self {
        self.clone()
    }

    fn watching(&self, machine: &Machine) -> Option<Self> {
        let mut watch = Watch::default();
        for (func, block) in &machine.cut.blocks {
            watch.add(self.module, *func, *block);
        }
        if watch.is_empty() {
            return None;
        }
        let mut place = self.clone();
        place.watch = Rc::new(watch);
        Some(place)
    }

    fn stop(&self, _: &Terms) -> Option<(Location, Option<Before<Self>>)> {
        let block = self.stopped_at?;
        let func = self.frames.last()?.func;
        let (head, _) = self.watch.stops.get(&(func, block))?;
        let head = self.location(*head);
        let before = self.heads.iter().find(|(location, _)| *location == head);
        Some((self.location(block), before.map(|(_, before)| before.clone())))
    }

    fn strays_from(&self, stop: &Location) -> bool {
        let (Some((func, _)), Some(block)) = (stop.calls.last(), self.entered) else { return false };
        let is_same = self.frames.len() == stop.calls.len();
        let way = self.watch.stops.get(&(*func, stop.block));
        is_same && way.is_some_and(|(_, way)| !way.contains(&block))
    }

    fn beginning(&self, state: &State) -> Self {
        let mut place = self.clone();
        place.heads.clear();
        place.frames.iter_mut().for_each(|frame| frame.rounds.clear());
        if let (Some(block), Some(frame)) = (self.stopped_at, self.frames.last())
            && self.watch.heads.contains(&(frame.func, block))
            && self.watch.is_tested(frame.func, block)
        {
            place.note_head(block, state);
        }
        place
    }

    fn words(&self) -> Vec<Term> {
        let data = self.frames.iter().flat_map(|frame| &frame.values);
        data.flat_map(|datum| match datum {
            Datum::None => Vec::new(),
            Datum::Word(term) => vec![*term],
            Datum::Wide(limbs) => limbs.clone(),
        })
        .collect()
    }

    fn widths(&self) -> Vec<u16> {
        let mut all = Vec::new();
        for frame in &self.frames {
            let dfg = &self.module.funcs[frame.func].dfg;
            for (index, datum) in frame.values.iter().enumerate() {
                let limbs = datum.count();
                let width = bits(dfg.ty(Value::new(index))).unwrap_or(256 * limbs);
                all.extend((0..limbs).map(|limb| width.saturating_sub(256 * limb).min(256) as u16));
            }
        }
        all
    }

    fn words_of(&self, other: &Self) -> Option<Vec<Term>> {
        let mut slots = Vec::new();
        for (frame, others) in self.frames.iter().zip(&other.frames) {
            for (datum, other) in frame.values.iter().zip(&others.values) {
                match (datum, other) {
                    (_, Datum::None) => {}
                    (Datum::Word(term), Datum::Word(_)) => slots.push(*term),
                    (Datum::Wide(limbs), Datum::Wide(others)) if limbs.len() == others.len() => {
                        slots.extend(limbs);
                    }
                    _ => return None,
                }
            }
        }
        (self.frames.len() == other.frames.len()).then_some(slots)
    }

    fn with_words(&self, slots: &[Term]) -> Self {
        let mut place = self.clone();
        let mut slots = slots.iter().copied();
        let mut next = |old: Term| slots.next().unwrap_or(old);
        for datum in place.frames.iter_mut().flat_map(|frame| &mut frame.values) {
            match datum {
                Datum::None => {}
                Datum::Word(term) => *term = next(*term),
                Datum::Wide(limbs) => limbs.iter_mut().for_each(|limb| *limb = next(*limb)),
            }
        }
        place
    }
}
