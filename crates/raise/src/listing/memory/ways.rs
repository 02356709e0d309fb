//! What is known of memory where ways meet, at loops, and where other code of the program runs.

use super::Stores;
use super::spot::{Base, Layout, RESERVED, Spot};
use super::state::{Known, State};

impl Stores {
    /// Other code of the program runs, or runs on: it may read and write any memory that is used.
    pub(in crate::listing) fn hand_over(&mut self, state: &mut State) {
        let mut all: Vec<Known> = state.known.drain(..).collect();
        for known in all.iter_mut().chain(&mut state.maybe) {
            self.mark(known, state.free);
            if !known.is_behind {
                known.id.into_iter().for_each(|id| self.need(id));
            }
        }
        all.into_iter().for_each(|known| self.may_hold(state, known));
        state.free = None;
    }

    /// The state behind branches, of those of them that end here.
    pub(in crate::listing) fn join(&mut self, states: Vec<State>) -> Option<State> {
        let mut states = states.into_iter();
        let mut joined = states.next()?;
        for other in states {
            let (same, mut others): (Vec<Known>, Vec<Known>) =
                joined.known.drain(..).partition(|known| other.known.contains(known));
            let is_theirs = |known: &Known| !same.contains(known);
            let mut theirs: Vec<Known> = other.known.into_iter().filter(is_theirs).collect();
            others.iter_mut().for_each(|known| self.mark(known, joined.free));
            theirs.iter_mut().for_each(|known| self.mark(known, other.free));
            joined.known = same;
            let maybes = others.into_iter().chain(theirs).chain(other.maybe);
            maybes.for_each(|known| self.may_hold(&mut joined, known));
            joined.free = joined.free.filter(|free| other.free == Some(*free));
        }
        Some(joined)
    }

    /// What is behind the free pointer now stays there until that is moved.
    fn mark(&self, known: &mut Known, free: Option<Spot>) {
        known.is_behind |= self.layout == Layout::Solidity && self.is_unused(known, free);
    }

    /// The state at the head of a loop: nothing is certain, for a round may have changed it.
    pub(in crate::listing) fn enter_loop(&mut self, state: &mut State) {
        let mut all: Vec<Known> = state.known.drain(..).collect();
        all.iter_mut().for_each(|known| self.mark(known, state.free));
        all.into_iter().for_each(|known| self.may_hold(state, known));
        state.free = None;
    }

    /// What a round leaves is read by the next one where it was not known what was read.
    pub(in crate::listing) fn close_loop(&mut self, first_unread: usize, state: &State) {
        for index in first_unread..self.unread.len() {
            let (spot, bytes) = self.unread[index];
            self.need_all(state, spot, bytes);
        }
    }

    /// True for what lies in scratch space or behind the free pointer.
    fn is_unused(&self, known: &Known, free: Option<Spot>) -> bool {
        let spot = self.root(known.spot);
        match spot.base {
            Base::Zero => spot.at.saturating_add(known.bytes) <= RESERVED,
            Base::Free(_) | Base::Name(_) | Base::End(..) => self.is_free(spot, free),
        }
    }

    /// True for what lies behind the free pointer.
    pub(super) fn is_free(&self, spot: Spot, free: Option<Spot>) -> bool {
        let spot = self.root(spot);
        free.is_some_and(|free| free.base == spot.base && spot.at >= free.at)
    }
}
