//! The stack of the way that is gone.
//!
//! Invariant: there is room for one word more than there may be, so an instruction that finds no more than these has room
//! for its result, and the loop over instructions asks for the height alone.

use super::value::Value;
use cairn_evm::STACK_LIMIT;

/// Words that there is room for.
const ROOM: usize = STACK_LIMIT + 1;

/// The words, the topmost last.
pub(super) struct Stack {
    pub(super) room: Box<[Value; ROOM]>,
    pub(super) height: usize,
}

impl Stack {
    pub(super) fn new() -> Stack {
        Stack { room: Box::new([Value::Unknown; ROOM]), height: 0 }
    }

    /// Begins with these words; what does not fit is left out.
    pub(super) fn begin_with(&mut self, words: &[Value]) {
        self.height = words.len().min(ROOM);
        self.room[..self.height].copy_from_slice(&words[..self.height]);
    }

    pub(super) fn words(&self) -> &[Value] {
        &self.room[..self.height]
    }

    pub(super) fn pop(&mut self) -> Option<Value> {
        self.height = self.height.checked_sub(1)?;
        Some(self.room[self.height])
    }
}
