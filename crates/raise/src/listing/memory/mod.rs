//! What memory holds while a function is read, so that what reads it can be told by its values.
//!
//! A place is a distance from a base: zero, the free pointer at some time, or a variable. Where the program
//! begins by setting the free pointer at 0x40, as Solidity's do, memory is taken for Solidity's: what is
//! reached by the free pointer or by a variable lies behind the first 128 bytes, nobody expects anything
//! behind the free pointer, and words at 0 and 32 do not outlive a call. Otherwise nothing is taken for granted.
//!
//! Every store has a number. Contract: a store is *needed* when something may read it whose bytes are not
//! known; all others may be left out of the text. A state has at most [`MAX_KNOWN`] stores, so a question
//! costs no more than that.

mod copies;
mod spot;
mod state;
mod sum;
mod ways;

pub(super) use copies::OpenCopy;
pub(super) use spot::{Base, FREE_POINTER, Layout, RESERVED, Spot};
pub(super) use state::State;
pub(super) use sum::{Sum, Term};

use super::say::Say;
use cairn_evm::{Opcode, Word};
use state::{Holds, Known, OPEN};

/// Stores that are remembered at once; older ones are needed.
const MAX_KNOWN: usize = 48;

/// Bytes of a word.
const WORD: u64 = 32;

/// Parts of a value whose first bytes are cut off.
const MAX_CUT: usize = 8;

/// A place that was read, and of which the bytes are not known.
pub(super) type Unread = (Option<Spot>, Option<u64>);

/// The stores of a function.
pub(super) struct Stores {
    pub(super) layout: Layout,
    /// By number.
    needed: Vec<bool>,
    /// Reads that were not understood, for loops around them.
    pub(super) unread: Vec<Unread>,
    /// Copies of lengths that are not known, by number.
    pub(super) copies: Vec<OpenCopy>,
}

impl Stores {
    pub(super) fn new(layout: Layout) -> Stores {
        Stores { layout, needed: Vec::new(), unread: Vec::new(), copies: Vec::new() }
    }

    /// The number of a new store.
    pub(super) fn new_id(&mut self) -> u32 {
        self.needed.push(false);
        self.needed.len() as u32 - 1
    }

    pub(super) fn need(&mut self, id: u32) {
        self.needed[id as usize] = true;
    }

    pub(super) fn is_needed(&self, id: u32) -> bool {
        self.needed[id as usize]
    }

    /// True unless the two are certainly apart; `None` is any place or any length.
    fn may_meet(&self, known: &Known, spot: Option<Spot>, bytes: Option<u64>) -> bool {
        let is_low = |spot: Spot, bytes: u64| {
            self.layout == Layout::Solidity
                && spot.base == Base::Zero
                && spot.at.saturating_add(bytes) <= RESERVED
        };
        let a = known.spot;
        let Some(b) = spot else { return !is_low(a, known.bytes) };
        if self.is_past(b, a, known.bytes) || self.is_past(a, b, bytes.unwrap_or(OPEN)) {
            return false;
        }
        if a.base == b.base {
            let end = b.at.saturating_add(bytes.unwrap_or(u64::MAX));
            return a.at < end && b.at < a.at.saturating_add(known.bytes);
        }
        !is_low(a, known.bytes) && !is_low(b, bytes.unwrap_or(u64::MAX))
    }

    /// Stores a value.
    pub(super) fn write(
        &mut self,
        state: &mut State,
        (spot, bytes): (Spot, u64),
        value: Option<Say>,
        id: Option<u32>,
    ) {
        self.forget(state, Some(spot), Some(bytes));
        let holds = value.map_or(Holds::Bytes, Holds::Value);
        self.add(state, Known { spot, bytes, holds, id, is_behind: false });
    }

    /// Stores bytes that are not known, as many as is known or any number.
    pub(super) fn fill(&mut self, state: &mut State, spot: Spot, bytes: Option<u64>, id: u32) {
        self.forget(state, Some(spot), bytes);
        let bytes = bytes.unwrap_or(OPEN);
        self.add(state, Known { spot, bytes, holds: Holds::Bytes, id: Some(id), is_behind: false });
    }

    /// A word was loaded of what was allocated, and has a name now: what is stored behind the free pointer leaves
    /// it as it is.
    pub(super) fn loaded(&mut self, state: &mut State, spot: Spot, name: Say) {
        if self.layout == Layout::Solidity && state.known.len() < MAX_KNOWN {
            let (bytes, holds) = (WORD, Holds::Loaded(name));
            state.known.push(Known { spot, bytes, holds, id: None, is_behind: false });
        }
    }

    fn add(&mut self, state: &mut State, known: Known) {
        if state.known.len() >= MAX_KNOWN {
            let oldest = state.known.remove(0);
            oldest.id.into_iter().for_each(|id| self.need(id));
        }
        state.known.push(known);
    }

    /// The free pointer is set: what lay behind it may be in use now.
    pub(super) fn move_free(&mut self, state: &mut State, free: Option<Spot>) {
        state.free = free;
        state.known.iter_mut().chain(&mut state.maybe).for_each(|known| known.is_behind = false);
    }

    /// Something is stored in a place: what was known of it is not any more.
    pub(super) fn forget(&mut self, state: &mut State, spot: Option<Spot>, bytes: Option<u64>) {
        let end = |spot: Spot, bytes: u64| spot.at.saturating_add(bytes);
        let covers = |known: &Known| {
            spot.zip(bytes).is_some_and(|(spot, bytes)| {
                known.spot.base == spot.base
                    && spot.at <= known.spot.at
                    && end(known.spot, known.bytes) <= end(spot, bytes)
            })
        };
        state.maybe.retain(|known| !covers(known));
        let is_free = spot.is_some_and(|spot| self.is_free(spot, state.free));
        let mut index = 0;
        while index < state.known.len() {
            let known = &mut state.known[index];
            if is_free && matches!(known.holds, Holds::Loaded(_)) {
                index += 1;
            } else if covers(known) {
                state.known.remove(index);
            } else if self.may_meet(known, spot, bytes) {
                let is_behind =
                    spot.is_some_and(|spot| spot.base == known.spot.base && spot.at > known.spot.at);
                if is_behind && let Some(spot) = spot {
                    // Its first bytes stay.
                    known.bytes = spot.at - known.spot.at;
                    known.holds.no_copy();
                    index += 1;
                    continue;
                }
                let known = &mut state.known[index];
                let covered = spot.zip(bytes).and_then(|(spot, bytes)| known.covered_by(spot, bytes));
                if let Some(covered) = covered {
                    // Its last bytes stay.
                    known.holds = match std::mem::replace(&mut known.holds, Holds::Bytes) {
                        Holds::Value(value) => {
                            without_first(value, covered).map_or(Holds::Bytes, Holds::Value)
                        }
                        Holds::Bytes | Holds::Loaded(_) | Holds::Copy(_) => Holds::Bytes,
                    };
                    known.spot.at += covered;
                    known.bytes -= covered;
                    index += 1;
                    continue;
                }
                let known = state.known.remove(index);
                self.may_hold(state, known);
            } else {
                index += 1;
            }
        }
    }

    fn may_hold(&mut self, state: &mut State, mut known: Known) {
        known.holds = Holds::Bytes;
        if known.id.is_none() || state.maybe.contains(&known) {
            return;
        }
        if state.maybe.len() >= MAX_KNOWN {
            let oldest = state.maybe.remove(0);
            oldest.id.into_iter().for_each(|id| self.need(id));
        }
        state.maybe.push(known);
    }

    /// A place is read in a way that does not say its values: what may lie there is needed.
    pub(super) fn read_unknown(&mut self, state: &State, spot: Option<Spot>, bytes: Option<u64>) {
        if bytes == Some(0) {
            return;
        }
        self.need_all(state, spot, bytes);
        self.unread.push((spot, bytes));
    }

    /// The same of what was allocated: nothing that lies behind the free pointer is there.
    pub(super) fn read_allocated(&mut self, state: &State, spot: Spot, bytes: Option<u64>) {
        for known in state.known.iter().chain(&state.maybe) {
            let is_apart = self.layout == Layout::Solidity && self.is_free(known.spot, state.free);
            if !is_apart && self.may_meet(known, Some(spot), bytes) {
                known.id.into_iter().for_each(|id| self.need(id));
            }
        }
        self.unread.push((Some(spot), bytes));
    }

    fn need_all(&mut self, state: &State, spot: Option<Spot>, bytes: Option<u64>) {
        for known in state.known.iter().chain(&state.maybe) {
            if self.may_meet(known, spot, bytes) {
                known.id.into_iter().for_each(|id| self.need(id));
            }
        }
    }
}

/// A value without so many of its first bytes.
fn without_first(value: Say, bytes: u64) -> Option<Say> {
    match value {
        value if bytes == 0 => Some(value),
        Say::Number(word) => Some(Say::Number(word << (bytes as usize * 8))),
        value if value.size(MAX_CUT) < MAX_CUT => {
            Some(Say::evm(Opcode::SHL, vec![Say::Number(Word::from(bytes * 8)), value]))
        }
        _ => None,
    }
}
