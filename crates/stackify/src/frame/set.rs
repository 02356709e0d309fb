//! Sets of frame objects.

use crate::code::FrameObject;
use cranelift_entity::EntityRef;

/// A set of the frame objects of one function, one bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ObjectSet(Vec<u64>);

impl ObjectSet {
    /// The empty set of a function with this many objects.
    pub(crate) fn new(num_objects: usize) -> ObjectSet {
        ObjectSet(vec![0; num_objects.div_ceil(64)])
    }

    /// True if the object is in the set.
    pub(crate) fn contains(&self, object: FrameObject) -> bool {
        self.0.get(object.index() / 64).is_some_and(|bits| bits & 1 << (object.index() % 64) != 0)
    }

    /// Adds an object.
    pub(crate) fn insert(&mut self, object: FrameObject) {
        self.0[object.index() / 64] |= 1 << (object.index() % 64);
    }

    /// Takes an object out.
    pub(crate) fn remove(&mut self, object: FrameObject) {
        self.0[object.index() / 64] &= !(1 << (object.index() % 64));
    }

    /// Adds all objects of another set; `None` is the empty set.
    pub(crate) fn add_all(&mut self, other: Option<&ObjectSet>) {
        let other = other.map_or(&[][..], |set| &set.0);
        self.0.iter_mut().zip(other).for_each(|(bits, other)| *bits |= other);
    }

    /// The objects in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = FrameObject> + '_ {
        self.0.iter().enumerate().flat_map(|(word, bits)| {
            let rests = std::iter::successors(Some(*bits), |rest| Some(rest & rest.wrapping_sub(1)));
            rests
                .take_while(|rest| *rest != 0)
                .map(move |rest| FrameObject::new(word * 64 + rest.trailing_zeros() as usize))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_come_back_in_order() {
        let mut set = ObjectSet::new(130);
        [129, 3, 64, 5].map(FrameObject::new).into_iter().for_each(|object| set.insert(object));
        set.remove(FrameObject::new(5));
        let found: Vec<usize> = set.iter().map(|object| object.index()).collect();
        assert_eq!(found, [3, 64, 129]);
        assert!(set.contains(FrameObject::new(64)) && !set.contains(FrameObject::new(5)));
    }

    #[test]
    fn union_with_nothing_changes_nothing() {
        let mut set = ObjectSet::new(3);
        set.insert(FrameObject::new(1));
        let before = set.clone();
        set.add_all(None);
        assert_eq!(set, before);
    }
}
