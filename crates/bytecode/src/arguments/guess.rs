//! Types from what was seen.

use super::facts::{Facts, Frame, Group, ROOT, Slot};
use super::types::Type;
use super::value::{Class, FrameId, SlotId};

/// Frames within frames.
const MAX_DEPTH: u32 = 4;
/// Words of a struct, or of all arguments.
const MAX_WORDS: u32 = 64;
/// Bytes of a word.
const WORD: u32 = 32;

/// The types of the arguments.
pub(super) fn types(facts: &Facts) -> Vec<Type> {
    let guess = Guess { facts, checks_words: facts.checks_words() };
    guess.members(ROOT, guess.bytes_of_heads(), 0)
}

struct Guess<'f> {
    facts: &'f Facts,
    checks_words: bool,
}

impl Guess<'_> {
    fn frame(&self, id: FrameId) -> &Frame {
        &self.facts.frames[id as usize]
    }

    /// Bytes of the arguments without what offsets lead to. Vyper compares all of the calldata with the least that
    /// it can be, which has a length for each argument with an offset.
    fn bytes_of_heads(&self) -> Option<u32> {
        let root = self.frame(ROOT);
        let bytes = root.bytes?;
        let is_offset = |slot: &&(u32, SlotId)| {
            let child = self.facts.slots[slot.1 as usize].child;
            slot.0 < bytes && child.is_some_and(|child| self.frame(child).is_used)
        };
        let lengths = root.slots.iter().filter(is_offset).count() as u32 * WORD;
        let heads = bytes.saturating_sub(lengths);
        let is_least = root.is_size_whole && root.slots.iter().all(|slot| slot.0 < heads || slot.0 >= bytes);
        Some(if is_least { heads } else { bytes })
    }

    fn slot_at(&self, frame: FrameId, offset: u32) -> Option<&Slot> {
        let slots = &self.frame(frame).slots;
        let place = slots.binary_search_by_key(&offset, |slot| slot.0).ok()?;
        Some(&self.facts.slots[slots[place].1 as usize])
    }

    /// The members of a struct.
    fn members(&self, frame: FrameId, bytes: Option<u32>, depth: u32) -> Vec<Type> {
        let last = || {
            self.frame(frame).slots.iter().rev().map(|slot| slot.0).find(|offset| *offset < MAX_WORDS * WORD)
        };
        let end = bytes.unwrap_or_else(|| last().map_or(0, |offset| offset + WORD)).min(MAX_WORDS * WORD);
        let mut types = Vec::new();
        let mut offset = 0;
        while offset < end {
            let group = self.frame(frame).groups.iter().find(|group| group.offset == offset);
            match group.filter(|group| offset + group.bytes <= end) {
                Some(group) => {
                    types.push(self.group(frame, *group, depth));
                    offset += group.bytes;
                }
                None => {
                    types.push(self.word(frame, offset, depth));
                    offset += WORD;
                }
            }
        }
        types
    }

    fn group(&self, frame: FrameId, group: Group, depth: u32) -> Type {
        let words = group.bytes / WORD;
        if group.is_array {
            return Type::FixedArray(Box::new(self.word(frame, group.offset, depth)), words);
        }
        let offsets = (0..words).map(|word| group.offset + word * WORD);
        Type::Tuple(offsets.map(|offset| self.word(frame, offset, depth)).collect())
    }

    fn word(&self, frame: FrameId, offset: u32, depth: u32) -> Type {
        self.slot_at(frame, offset).map_or(Type::Uint(256), |slot| self.slot(slot, depth))
    }

    fn slot(&self, slot: &Slot, depth: u32) -> Type {
        let behind = slot.child.filter(|child| depth < MAX_DEPTH && self.frame(*child).is_used);
        if let Some(child) = behind {
            return self.behind(child, slot.tail_bytes, depth + 1);
        }
        let cut = || slot.cut.filter(|class| *class == Class::Uint(160));
        let cleaned = || slot.cleaned.or_else(cut).filter(|_| !self.checks_words);
        let class = slot.validated.or_else(cleaned);
        match class {
            Some(class) => class.to_type(),
            None if slot.is_byte_taken => Type::FixedBytes(32),
            None if slot.is_signed => Type::Int(256),
            None => Type::Uint(256),
        }
    }

    /// The type of what is behind an offset.
    fn behind(&self, frame: FrameId, tail_bytes: Option<u32>, depth: u32) -> Type {
        let data = self.frame(frame);
        let bytes = data.bytes.or(tail_bytes.filter(|bytes| *bytes > WORD));
        if bytes.is_some() && !data.is_counted {
            return Type::Tuple(self.members(frame, bytes, depth));
        }
        let length = self.slot_at(frame, 0);
        let stride = [data.stride, length.and_then(|slot| slot.scale)]
            .into_iter()
            .flatten()
            .find(|stride| stride.is_multiple_of(WORD));
        if let Some(stride) = stride.filter(|stride| *stride > WORD && *stride <= MAX_WORDS * WORD) {
            let words = (0..stride / WORD).map(|word| self.word(frame, WORD + word * WORD, depth));
            return Type::Array(Box::new(Type::Tuple(words.collect())));
        }
        let items = data.slots.iter().filter(|slot| slot.0 >= WORD && slot.0.is_multiple_of(WORD));
        let mut items = items.map(|slot| self.slot(&self.facts.slots[slot.1 as usize], depth));
        let first = items.next();
        // A checked array has a length that was multiplied.
        let is_checked = data.is_counted || tail_bytes.is_some();
        let is_bytes = stride.is_none()
            && (is_checked
                || length.is_some_and(|slot| slot.is_byte_count)
                || first.is_none()
                || first == Some(Type::FixedBytes(1)));
        if is_bytes {
            return Type::Bytes;
        }
        let known = first.into_iter().chain(items).find(|item| *item != Type::Uint(256));
        Type::Array(Box::new(known.unwrap_or(Type::Uint(256))))
    }
}
