//! What frame memory must be saved around calls that can come back to the same function.

use crate::code::FrameObject;
use cairn_ir::{Inst, SecondaryMap};

/// For each call the words (object, offset in bytes) that it saves on the stack.
#[derive(Debug, Default)]
pub(super) struct Saves {
    around: SecondaryMap<Inst, Vec<(FrameObject, u64)>>,
}

impl Saves {
    /// The words that `call` saves.
    pub(super) fn around(&self, call: Inst) -> &[(FrameObject, u64)] {
        &self.around[call]
    }
}
