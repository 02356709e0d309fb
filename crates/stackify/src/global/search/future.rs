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
}

/// Uses that are still to come in a block.
pub(crate) struct Future {
    pub(super) wanted: SecondaryMap<Value, Wanted>,
    /// Number of the block, from 1.
    stamp: u32,
    /// Operands on their way to an instruction.
    pub(super) open: SmallVec<[(Inst, Slot); 8]>,
    pub(super) labels: SmallVec<[Inst; 4]>,
    /// Words that are saved on the stack around calls.
    pub(super) saved: SmallVec<[(Inst, Slot); 4]>,
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
        self.open.clear();
        self.labels.clear();
        self.saved.clear();
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
        let base = match slot.kind() {
            SlotKind::Value(value) => self.future.is_needed(value) && self.homes.home(value) == Home::Stack,
            SlotKind::Label(inst) => self.future.labels.contains(&inst),
            SlotKind::ReturnAddress => self.future.leaving == Leaving::Returns,
            SlotKind::Const(_) | SlotKind::Junk => false,
        };
        if self.future.open.is_empty() && self.future.saved.is_empty() {
            return usize::from(base);
        }
        let open = self.future.open.iter().filter(|(_, other)| *other == slot).count();
        let saved = self.future.saved.iter().filter(|(_, other)| *other == slot).count();
        usize::from(base) + open + saved
    }
}
