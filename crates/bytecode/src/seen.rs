//! What a search has been at: a small set that is cleared for each question.
//!
//! Cost: nothing to clear, some instructions for each item. The table grows with the largest set and is
//! kept, so a set that is asked again and again allocates nothing.

use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Places of the table at first, a power of two.
const SLOTS: usize = 512;

/// A set of items.
pub(crate) struct Seen<T> {
    /// The set that a place was used by last, and the index of its item. Half of them are free at least.
    slots: Vec<(u32, u32)>,
    set: u32,
    items: Vec<T>,
}

impl<T: Copy + Eq + Hash> Seen<T> {
    pub(crate) fn new() -> Seen<T> {
        Seen { slots: vec![(0, 0); SLOTS], set: 1, items: Vec::new() }
    }

    pub(crate) fn clear(&mut self) {
        self.items.clear();
        self.set = self.set.wrapping_add(1);
        if self.set == 0 {
            self.slots.fill((0, 0));
            self.set = 1;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn contains(&self, item: &T) -> bool {
        self.free_place(item).is_none()
    }

    /// Adds an item; false when it was there.
    pub(crate) fn insert(&mut self, item: T) -> bool {
        let Some(place) = self.free_place(&item) else { return false };
        self.slots[place] = (self.set, self.items.len() as u32);
        self.items.push(item);
        if self.items.len() * 2 > self.slots.len() {
            self.grow();
        }
        true
    }

    /// The place for an item; `None` when it is there.
    fn free_place(&self, item: &T) -> Option<usize> {
        let mut hasher = FxHasher::default();
        item.hash(&mut hasher);
        let last = self.slots.len() - 1;
        let mut place = hasher.finish() as usize & last;
        while let (set, index) = self.slots[place]
            && set == self.set
        {
            if self.items[index as usize] == *item {
                return None;
            }
            place = (place + 1) & last;
        }
        Some(place)
    }

    fn grow(&mut self) {
        self.slots = vec![(0, 0); 2 * self.slots.len()];
        self.set = 1;
        for (index, item) in self.items.iter().enumerate() {
            if let Some(place) = self.free_place(item) {
                self.slots[place] = (self.set, index as u32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_new_once_until_all_are_forgotten() {
        let mut seen = Seen::new();
        for count in [200u32, 3, 2000, 1000] {
            seen.clear();
            assert!((0..count).all(|item| seen.insert(item)));
            assert!((0..count).all(|item| seen.contains(&item) && !seen.insert(item)));
            assert_eq!((seen.len(), seen.contains(&count)), (count as usize, false));
        }
    }
}
