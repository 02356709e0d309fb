//! Words of calldata that were copied into memory: arrays whose items are read there.
//!
//! Memory that was allocated is told apart by what the free pointer was. Each time that it is read counts as another
//! place, which costs what a second copy to the same place would tell, and takes no look at what is stored.

use super::facts::ROOT;
use super::value::{FIRST, FrameId, Value};

/// Where Solidity keeps the first free address of memory.
pub(super) const FREE_POINTER: u32 = 0x40;

/// What was copied behind what the free pointer was, each time that it was read: a frame, and the byte of it that lies
/// where the pointer points to.
#[derive(Default)]
pub(super) struct Copies {
    list: Vec<Option<(FrameId, i64)>>,
}

impl Copies {
    /// Forgets everything but the memory that it took.
    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    /// What `MLOAD` of the free pointer gives.
    pub(super) fn read_free_pointer(&mut self) -> Value {
        let Ok(pointer) = u16::try_from(self.list.len()) else { return Value::Unknown };
        self.list.push(None);
        Value::Free(pointer, 0)
    }

    /// The frame, and the byte of it, that lies so far behind what the free pointer was.
    pub(super) fn place_of(&self, pointer: u16, offset: i32) -> Option<(FrameId, i64)> {
        let (frame, begin) = (*self.list.get(usize::from(pointer))?)?;
        Some((frame, begin + i64::from(offset)))
    }

    /// Words were copied. Bytes, whose number is no multiple, have no items.
    pub(super) fn add(&mut self, to: Value, from: Value, bytes: Value) {
        let (frame, begin) = match (from, bytes) {
            (Value::Place(frame, offset), Value::Times(_)) => (frame, i64::from(offset)),
            (Value::Small(place), Value::Small(_)) if i64::from(place) >= FIRST => {
                (ROOT, i64::from(place) - FIRST)
            }
            _ => return,
        };
        if let Value::Free(pointer, offset) = to
            && let Some(copy) = self.list.get_mut(usize::from(pointer))
        {
            copy.get_or_insert((frame, begin - i64::from(offset)));
        }
    }
}
