//! What a search has been at: a small set that is cleared for each question.
//!
//! Cost: nothing to clear, some instructions for each item. Invariant: there are far fewer items than
//! [`SLOTS`]; a search has a limit below that.

use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Places of the table, a power of two.
const SLOTS: usize = 512;

/// A set of items.
pub(super) struct Seen<T> {
    /// The set that a place was used by last, and the index of its item.
    slots: Vec<(u32, u32)>,
    set: u32,
    items: Vec<T>,
}

impl<T: Copy + Eq + Hash> Seen<T> {
    pub(super) fn new() -> Seen<T> {
        Seen { slots: vec![(0, 0); SLOTS], set: 0, items: Vec::new() }
    }

    pub(super) fn clear(&mut self) {
        self.items.clear();
        self.set = self.set.wrapping_add(1);
        if self.set == 0 {
            self.slots.fill((0, 0));
            self.set = 1;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Adds an item; false when it was there.
    pub(super) fn insert(&mut self, item: T) -> bool {
        debug_assert!(self.items.len() < SLOTS - 1, "a place has to be free");
        let mut hasher = FxHasher::default();
        item.hash(&mut hasher);
        let mut place = hasher.finish() as usize % SLOTS;
        while let (set, index) = self.slots[place]
            && set == self.set
        {
            if self.items[index as usize] == item {
                return false;
            }
            place = (place + 1) % SLOTS;
        }
        self.slots[place] = (self.set, self.items.len() as u32);
        self.items.push(item);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_new_once_until_all_are_forgotten() {
        let mut seen = Seen::new();
        for _ in 0..3 {
            seen.clear();
            assert!((0..200u32).all(|item| seen.insert(item)));
            assert!((0..200u32).all(|item| !seen.insert(item)));
            assert_eq!(seen.len(), 200);
        }
    }
}
