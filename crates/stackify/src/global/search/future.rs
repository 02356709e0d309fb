//! What is still to come in a block while it is searched: the same for all states.

use super::forecast::Forecast;
use super::setup::Needs;
use crate::global::facts::homes::{Home, Homes};
use crate::global::stack::slot::{Slot, SlotKind};
use cairn_ir::{Inst, SecondaryMap, Value};
use smallvec::SmallVec;

/// What is still to come for a value.
#[derive(Clone, Copy, Default)]
pub(super) struct Wanted {
    pub(super) uses_left: u32,
    /// Block in which it was last marked live at the end.
    live_out: u32,
    /// Copies among [`Future::open`] and [`Future::saved`].
    held: u32,
}

/// Uses that are still to come in a block.
pub(crate) struct Future {
    pub(super) wanted: SecondaryMap<Value, Wanted>,
    /// Number of the block, from 1.
    stamp: u32,
    /// Operands on their way to an instruction.
    open: SmallVec<[(Inst, Slot); 8]>,
    pub(super) labels: SmallVec<[Inst; 4]>,
    /// Words that are saved on the stack around calls.
    saved: SmallVec<[(Inst, Slot); 4]>,
    /// Values in memory that have been stored.
    pub(crate) available: Vec<Value>,
    leaving: Leaving,
    pub(super) forecast: Forecast,
}

/// How a block is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// Some way from it returns: the return address is needed.
    Returns,
    Otherwise,
}

impl Future {
    /// Nothing to come yet.
    pub(crate) fn new() -> Future {
        Future {
            wanted: SecondaryMap::new(),
            stamp: 0,
            open: SmallVec::new(),
            labels: SmallVec::new(),
            saved: SmallVec::new(),
            available: Vec::new(),
            leaving: Leaving::Otherwise,
            forecast: Forecast::default(),
        }
    }

    /// Starts a block; everything said of the last one is forgotten.
    pub(crate) fn begin(&mut self, leaving: Leaving) {
        self.stamp += 1;
        self.leaving = leaving;
        self.begin_again();
    }

    /// Starts the same block again: what lives out was said.
    pub(crate) fn begin_again(&mut self) {
        for (_, slot) in self.open.drain(..).chain(self.saved.drain(..)) {
            if let Some(value) = slot.as_value() {
                self.wanted[value].held = 0;
            }
        }
        self.labels.clear();
        self.available.clear();
    }

    /// A value is needed at the end of the block.
    pub(crate) fn add_live_out(&mut self, value: Value) {
        self.wanted[value].live_out = self.stamp;
    }

    /// True for a word whose place among others matters: it is on its way to an instruction.
    pub(super) fn is_bound(&self, slot: Slot) -> bool {
        let is_label = matches!(slot.kind(), SlotKind::Label(_));
        is_label || self.open.iter().chain(&self.saved).any(|(_, other)| *other == slot)
    }

    /// True when a value is used from here on.
    pub(super) fn is_needed(&self, value: Value) -> bool {
        let wanted = self.wanted[value];
        wanted.uses_left > 0 || wanted.live_out == self.stamp
    }

    /// An operand is on its way to an instruction.
    pub(super) fn add_open(&mut self, user: Inst, slot: Slot) {
        self.open.push((user, slot));
        self.hold(slot);
    }

    /// An operand has come to its instruction; false if it was not on its way.
    pub(super) fn take_open(&mut self, user: Inst, slot: Slot) -> bool {
        let found = self.open.iter().position(|entry| *entry == (user, slot));
        if let Some(at) = found {
            self.open.remove(at);
            self.release(slot);
        }
        found.is_some()
    }

    /// A word is saved on the stack around a call.
    pub(super) fn add_saved(&mut self, call: Inst, slot: Slot) {
        self.saved.push((call, slot));
        self.hold(slot);
    }

    /// The words saved around a call.
    pub(super) fn saved_around(&self, call: Inst) -> impl Iterator<Item = Slot> {
        self.saved.iter().filter(move |(other, _)| *other == call).map(|(_, slot)| *slot)
    }

    /// The words saved around a call are stored back.
    pub(super) fn forget_saved(&mut self, call: Inst) {
        let restored: SmallVec<[Slot; 4]> = self.saved_around(call).collect();
        restored.into_iter().for_each(|slot| self.release(slot));
        self.saved.retain(|(other, _)| *other != call);
    }

    fn hold(&mut self, slot: Slot) {
        if let Some(value) = slot.as_value() {
            self.wanted[value].held += 1;
        }
    }

    fn release(&mut self, slot: Slot) {
        if let Some(value) = slot.as_value() {
            self.wanted[value].held -= 1;
        }
    }

    pub(super) fn add_use(&mut self, slot: Slot) {
        if let Some(value) = slot.as_value() {
            self.wanted[value].uses_left += 1;
        }
    }

    pub(super) fn forget_uses(&mut self, slot: Slot) {
        if let Some(value) = slot.as_value() {
            self.wanted[value].uses_left = 0;
        }
    }

    pub(super) fn remove_use(&mut self, slot: Slot) {
        if let Some(value) = slot.as_value() {
            self.wanted[value].uses_left -= 1;
        }
    }
}

/// What is needed from an item on, given where values live.
pub(super) struct Needed<'a> {
    pub(super) future: &'a Future,
    pub(super) homes: &'a Homes,
}

impl Needs for Needed<'_> {
    #[inline(always)]
    fn need(&self, slot: Slot) -> usize {
        let Some(value) = slot.as_value() else {
            return self.need_of_other(slot);
        };
        let is_needed = self.future.is_needed(value) && self.homes.home(value) == Home::Stack;
        usize::from(is_needed) + self.future.wanted[value].held as usize
    }
}

impl Needed<'_> {
    /// Copies needed of a word that is no value.
    fn need_of_other(&self, slot: Slot) -> usize {
        let base = match slot.kind() {
            SlotKind::Label(inst) => self.future.labels.contains(&inst),
            SlotKind::ReturnAddress => self.future.leaving == Leaving::Returns,
            SlotKind::Value(_) | SlotKind::Const(_) | SlotKind::Junk => false,
        };
        let held = self.future.open.iter().chain(&self.future.saved);
        usize::from(base) + held.filter(|(_, other)| *other == slot).count()
    }
}
