//! Rows of items that grow at one end, interned: two that are equal have one number.
//!
//! Invariant: a row has at most as many items as [`Chains::new`] was told. Cost: a look into a hash table
//! for each item that is added.

use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::Hash;

/// Number of a row.
pub(crate) type ChainId = u32;

/// The row without items.
pub(crate) const EMPTY: ChainId = 0;

/// Interned rows of items.
pub(crate) struct Chains<T> {
    /// By number, from 1 on: the last item, the row before it, and how many items there are.
    rows: Vec<(T, ChainId, u8)>,
    ids: FxHashMap<(ChainId, T), ChainId>,
    /// Items of a row at most.
    most: u8,
}

impl<T: Copy + Eq + Hash> Chains<T> {
    /// Rows of so many items at most, and room for so many rows.
    pub(crate) fn new(most: u8, room: usize) -> Chains<T> {
        let ids = FxHashMap::with_capacity_and_hasher(room, FxBuildHasher);
        Chains { rows: Vec::with_capacity(room), ids, most }
    }

    /// The last item, and the row before it; `None` for the empty row.
    #[inline]
    pub(crate) fn last(&self, chain: ChainId) -> Option<(T, ChainId)> {
        let (item, before, _) = *self.rows.get(chain.checked_sub(1)? as usize)?;
        Some((item, before))
    }

    /// The row with one more item; `None` when those are too many.
    pub(crate) fn push(&mut self, before: ChainId, item: T) -> Option<ChainId> {
        if let Some(id) = self.ids.get(&(before, item)) {
            return Some(*id);
        }
        let known = before.checked_sub(1).map_or(0, |place| self.rows[place as usize].2);
        if known >= self.most {
            return None;
        }
        self.rows.push((item, before, known + 1));
        let id = self.rows.len() as ChainId;
        self.ids.insert((before, item), id);
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_have_one_number_and_an_end() {
        let mut chains = Chains::new(2, 0);
        let one = chains.push(EMPTY, 'a').expect("one of two");
        let two = chains.push(one, 'b').expect("two of two");
        assert_eq!((chains.push(EMPTY, 'a'), chains.push(one, 'b')), (Some(one), Some(two)));
        assert_eq!((chains.last(two), chains.last(EMPTY)), (Some(('b', one)), None));
        assert_eq!(chains.push(two, 'a'), None);
        assert_ne!(chains.push(EMPTY, 'b'), Some(two));
    }
}
