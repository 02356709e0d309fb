//! What a walk of a function has seen of its calldata.

use super::value::{Class, FrameId, SlotId};
use smallvec::SmallVec;

/// The frame of the arguments.
pub(super) const ROOT: FrameId = 0;
/// Frames and slots of a function at most.
const MAX_SLOTS: usize = 1024;

/// A word of a frame.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) frame: FrameId,
    pub(super) offset: u32,
    /// What is behind it, if it was added to the place of its frame.
    pub(super) child: Option<FrameId>,
    /// The block that loaded it last.
    pub(super) loaded_in: u32,
    /// It was compared with itself cleaned.
    pub(super) validated: Option<Class>,
    /// It was cleaned in the block that loaded it.
    pub(super) cleaned: Option<Class>,
    /// It was cleaned later.
    pub(super) cut: Option<Class>,
    pub(super) is_signed: bool,
    pub(super) is_byte_taken: bool,
    /// What it was multiplied by.
    pub(super) scale: Option<u32>,
    /// It was taken for a number of bytes.
    pub(super) is_byte_count: bool,
    /// Bytes that must be behind the offset that it is.
    pub(super) tail_bytes: Option<u32>,
}

/// A piece of calldata that words are counted from.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    /// Slots by offset.
    pub(super) slots: SmallVec<[(u32, SlotId); 4]>,
    /// Something of it was read.
    pub(super) is_used: bool,
    /// Bytes that it must have at least, as a struct.
    pub(super) bytes: Option<u32>,
    /// These were compared with all of the calldata, the selector included.
    pub(super) is_size_whole: bool,
    /// It was checked to have a length.
    pub(super) is_counted: bool,
    /// What an index into it was multiplied by.
    pub(super) stride: Option<u32>,
    /// Words in a row that are an array or a struct: where they begin, bytes, and which.
    pub(super) groups: SmallVec<[Group; 1]>,
    /// An array of fixed length begins here, whose end was not seen yet.
    pub(super) open_array: Option<u32>,
}

/// Words in a row that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) offset: u32,
    pub(super) bytes: u32,
    pub(super) is_array: bool,
}

/// Everything that was seen.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) frames: Vec<Frame>,
    pub(super) slots: Vec<Slot>,
}

impl Facts {
    pub(super) fn new() -> Facts {
        Facts { frames: vec![Frame::default()], slots: Vec::new() }
    }

    /// Forgets everything but the memory that it took.
    pub(super) fn clear(&mut self) {
        self.frames.clear();
        self.frames.push(Frame::default());
        self.slots.clear();
    }

    pub(super) fn slot(&mut self, id: SlotId) -> &mut Slot {
        &mut self.slots[id as usize]
    }

    pub(super) fn frame(&mut self, id: FrameId) -> &mut Frame {
        &mut self.frames[id as usize]
    }

    /// The slot at an offset of a frame; `None` when there are too many.
    pub(super) fn slot_at(&mut self, frame: FrameId, offset: u32) -> Option<SlotId> {
        let slots = &self.frames[frame as usize].slots;
        let place = match slots.binary_search_by_key(&offset, |slot| slot.0) {
            Ok(place) => return Some(slots[place].1),
            Err(place) => place,
        };
        if self.slots.len() >= MAX_SLOTS {
            return None;
        }
        let id = self.slots.len() as SlotId;
        self.frames[frame as usize].slots.insert(place, (offset, id));
        self.slots.push(Slot {
            frame,
            offset,
            child: None,
            loaded_in: 0,
            validated: None,
            cleaned: None,
            cut: None,
            is_signed: false,
            is_byte_taken: false,
            scale: None,
            is_byte_count: false,
            tail_bytes: None,
        });
        Some(id)
    }

    /// The frame behind a slot; `None` when there are too many.
    pub(super) fn child_of(&mut self, slot: SlotId) -> Option<FrameId> {
        if let Some(child) = self.slots[slot as usize].child {
            return Some(child);
        }
        if self.frames.len() >= MAX_SLOTS {
            return None;
        }
        let id = self.frames.len() as FrameId;
        self.frames.push(Frame::default());
        self.slots[slot as usize].child = Some(id);
        Some(id)
    }

    /// A slot was cleaned.
    pub(super) fn clean(&mut self, slot: SlotId, class: Class, block: u32) {
        let slot = self.slot(slot);
        let place = if slot.loaded_in == block { &mut slot.cleaned } else { &mut slot.cut };
        place.get_or_insert(class);
    }

    pub(super) fn validate(&mut self, slot: SlotId, class: Class) {
        self.slot(slot).validated.get_or_insert(class);
    }

    /// Words of a frame belong together.
    pub(super) fn group(&mut self, frame: FrameId, group: Group) {
        let groups = &mut self.frames[frame as usize].groups;
        let is_plausible = group.bytes >= 32 && group.bytes.is_multiple_of(32) && group.bytes <= 1 << 12;
        if is_plausible
            && group.offset.is_multiple_of(32)
            && !groups.iter().any(|one| one.offset == group.offset)
        {
            groups.push(group);
        }
    }

    /// True when words are compared with themselves cleaned: then all are that have a type, and what is only
    /// cleaned is cast.
    pub(super) fn checks_words(&self) -> bool {
        self.slots.iter().any(|slot| slot.validated.is_some())
    }

    /// True when nothing that is seen later changes the type of an argument.
    pub(super) fn is_settled(&self, slot: SlotId) -> bool {
        let slot = &self.slots[slot as usize];
        slot.frame == ROOT
            && slot.child.is_none()
            && slot.validated.is_some_and(|class| !class.may_be_offset())
    }

    /// True when the number of arguments is known and each was loaded.
    pub(super) fn is_whole(&self) -> bool {
        let root = &self.frames[ROOT as usize];
        root.bytes
            .is_some_and(|bytes| root.slots.iter().filter(|slot| slot.0 < bytes).count() as u32 * 32 >= bytes)
    }
}
