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

use super::say::{Name, Piece, Say};
use cairn_evm::{Opcode, Word};

/// Stores that are remembered at once; older ones are needed.
const MAX_KNOWN: usize = 48;

/// Parts of a value whose first bytes are cut off.
const MAX_CUT: usize = 8;

/// Where Solidity keeps the first free byte of memory.
pub(super) const FREE_POINTER: u64 = 0x40;

/// Bytes at the beginning that are Solidity's own.
const RESERVED: u64 = 0x80;

/// What places count from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Zero,
    Free(u32),
    Name(Name),
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) base: Base,
    pub(super) at: u64,
}

/// Whose memory it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    Solidity,
    Unknown,
}

/// A store.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    spot: Spot,
    bytes: u64,
    /// What was stored; `None` for bytes that are not known.
    value: Option<Say>,
    /// Its number; `None` for what is no line of its own.
    id: Option<u32>,
    /// It was behind the free pointer when other code ran.
    is_behind: bool,
}

impl Known {
    /// How many of its first bytes lie in a region, if that holds no others of it.
    fn covered_by(&self, spot: Spot, bytes: u64) -> Option<u64> {
        let end = spot.at.checked_add(bytes)?;
        let is_first = self.spot.base == spot.base && spot.at <= self.spot.at;
        (is_first && end > self.spot.at).then(|| end - self.spot.at).filter(|covered| *covered < self.bytes)
    }
}

/// What memory holds.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// What certainly was stored last.
    known: Vec<Known>,
    /// What may have been stored.
    maybe: Vec<Known>,
    /// What the free pointer is.
    pub(super) free: Option<Spot>,
    /// What was copied last, if it is there still.
    pub(super) copy: Option<Copy>,
}

/// What was copied into memory, of a length that need not be known.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Copy {
    pub(super) opcode: Opcode,
    pub(super) to: Say,
    pub(super) from: Say,
    pub(super) bytes: Say,
}

/// A place that was read, and of which the bytes are not known.
pub(super) type Unread = (Option<Spot>, Option<u64>);

/// The stores of a function.
pub(super) struct Stores {
    pub(super) layout: Layout,
    /// By number.
    needed: Vec<bool>,
    /// Reads that were not understood, for loops around them.
    pub(super) unread: Vec<Unread>,
}

impl Stores {
    pub(super) fn new(layout: Layout) -> Stores {
        Stores { layout, needed: Vec::new(), unread: Vec::new() }
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
        self.add(state, Known { spot, bytes, value, id, is_behind: false });
    }

    /// Stores bytes that are not known, as many as is known or any number.
    pub(super) fn fill(&mut self, state: &mut State, spot: Spot, bytes: Option<u64>, id: u32) {
        self.forget(state, Some(spot), bytes);
        let bytes = bytes.unwrap_or(u64::MAX);
        self.add(state, Known { spot, bytes, value: None, id: Some(id), is_behind: false });
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
        state.copy = None;
        let end = |spot: Spot, bytes: u64| spot.at.saturating_add(bytes);
        let covers = |known: &Known| {
            spot.zip(bytes).is_some_and(|(spot, bytes)| {
                known.spot.base == spot.base
                    && spot.at <= known.spot.at
                    && end(known.spot, known.bytes) <= end(spot, bytes)
            })
        };
        state.maybe.retain(|known| !covers(known));
        let mut index = 0;
        while index < state.known.len() {
            let known = &mut state.known[index];
            if covers(known) {
                state.known.remove(index);
            } else if self.may_meet(known, spot, bytes) {
                let is_behind =
                    spot.is_some_and(|spot| spot.base == known.spot.base && spot.at > known.spot.at);
                if is_behind && let Some(spot) = spot {
                    // Its first bytes stay.
                    known.bytes = spot.at - known.spot.at;
                    index += 1;
                    continue;
                }
                let known = &mut state.known[index];
                let covered = spot.zip(bytes).and_then(|(spot, bytes)| known.covered_by(spot, bytes));
                if let Some(covered) = covered {
                    // Its last bytes stay.
                    known.value = known.value.take().and_then(|value| without_first(value, covered));
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
        known.value = None;
        if known.id.is_none() || state.maybe.contains(&known) {
            return;
        }
        if state.maybe.len() >= MAX_KNOWN {
            let oldest = state.maybe.remove(0);
            oldest.id.into_iter().for_each(|id| self.need(id));
        }
        state.maybe.push(known);
    }

    /// The values that certainly lie in a place, without gaps.
    pub(super) fn read(&self, state: &State, spot: Spot, bytes: u64) -> Option<Vec<Piece>> {
        let mut pieces = Vec::new();
        let mut at = spot.at;
        let end = spot.at.checked_add(bytes)?;
        while at < end {
            let holds = |known: &&Known| {
                known.spot.base == spot.base
                    && (known.spot.at..known.spot.at.saturating_add(known.bytes)).contains(&at)
            };
            let known = state.known.iter().find(holds)?;
            let value = without_first(known.value.clone()?, at - known.spot.at)?;
            let bytes = (known.spot.at + known.bytes - at).min(end - at);
            pieces.push(Piece { bytes, value });
            at += bytes;
        }
        Some(pieces)
    }

    /// A place is read in a way that does not say its values: what may lie there is needed.
    pub(super) fn read_unknown(&mut self, state: &State, spot: Option<Spot>, bytes: Option<u64>) {
        if bytes == Some(0) {
            return;
        }
        self.need_all(state, spot, bytes);
        self.unread.push((spot, bytes));
    }

    fn need_all(&mut self, state: &State, spot: Option<Spot>, bytes: Option<u64>) {
        for known in state.known.iter().chain(&state.maybe) {
            if self.may_meet(known, spot, bytes) {
                known.id.into_iter().for_each(|id| self.need(id));
            }
        }
    }

    /// Other code of the program runs, or runs on: it may read and write any memory that is used.
    pub(super) fn hand_over(&mut self, state: &mut State) {
        let mut all: Vec<Known> = state.known.drain(..).collect();
        for known in all.iter_mut().chain(&mut state.maybe) {
            known.is_behind |= self.layout == Layout::Solidity && is_unused(known, state.free);
            if !known.is_behind {
                known.id.into_iter().for_each(|id| self.need(id));
            }
        }
        all.into_iter().for_each(|known| self.may_hold(state, known));
        (state.free, state.copy) = (None, None);
    }

    /// The state behind branches, of those of them that end here.
    pub(super) fn join(&mut self, states: Vec<State>) -> Option<State> {
        let mut states = states.into_iter();
        let mut joined = states.next()?;
        for other in states {
            let (same, others): (Vec<Known>, Vec<Known>) =
                joined.known.drain(..).partition(|known| other.known.contains(known));
            let theirs = other.known.into_iter().filter(|known| !same.contains(known)).collect::<Vec<_>>();
            joined.known = same;
            let maybes = others.into_iter().chain(theirs).chain(other.maybe);
            maybes.collect::<Vec<_>>().into_iter().for_each(|known| self.may_hold(&mut joined, known));
            joined.free = joined.free.filter(|free| other.free == Some(*free));
            joined.copy = joined.copy.filter(|copy| other.copy.as_ref() == Some(copy));
        }
        Some(joined)
    }

    /// The state at the head of a loop: nothing is certain, for a round may have changed it.
    pub(super) fn enter_loop(&mut self, state: &mut State) {
        let all: Vec<Known> = state.known.drain(..).collect();
        all.into_iter().for_each(|known| self.may_hold(state, known));
        (state.free, state.copy) = (None, None);
    }

    /// What a round leaves is read by the next one where it was not known what was read.
    pub(super) fn close_loop(&mut self, first_unread: usize, state: &State) {
        for index in first_unread..self.unread.len() {
            let (spot, bytes) = self.unread[index];
            self.need_all(state, spot, bytes);
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

/// True for what lies in scratch space or behind the free pointer.
fn is_unused(known: &Known, free: Option<Spot>) -> bool {
    match known.spot.base {
        Base::Zero => known.spot.at.saturating_add(known.bytes) <= RESERVED,
        base => free.is_some_and(|free| free.base == base && known.spot.at >= free.at),
    }
}
