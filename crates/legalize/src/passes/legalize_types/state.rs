//! What the walk knows.

use super::reps::Reps;
use crate::passes::hoist_slots::Slots;
use cairn_ir::{Block, Function, SecondaryMap, Type, Value};

/// State of the walk.
#[derive(Default)]
pub(super) struct Walk {
    pub(super) reps: Reps,
    /// Slots by the bits they hold, computed when first asked for.
    pub(super) trusted_slots: Option<SecondaryMap<Value, u16>>,
    pub(super) slots: Option<Slots>,
    /// True if a slot was made since this was last asked.
    pub(super) made_slot: bool,
    /// Declared types of the parameters of blocks that were changed.
    pub(super) params: SecondaryMap<Block, Vec<Type>>,
    /// Declared types of the function's results.
    pub(super) results: Vec<Type>,
}

impl Walk {
    /// A new slot that an array lies in.
    pub(super) fn slot(&mut self, func: &mut Function, bytes: u64) -> Value {
        self.made_slot = true;
        self.frame(func, bytes)
    }

    /// Room in the frame, where there is one.
    pub(super) fn frame(&mut self, func: &mut Function, bytes: u64) -> Value {
        self.slots.get_or_insert_with(|| Slots::of(func)).make(func, bytes)
    }
}
