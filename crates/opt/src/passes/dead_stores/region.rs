//! Regions of memory: which overlap, and what is left of one.

use crate::memory::{Heap, Place, Region};
use cairn_evm::Word;
use cairn_ir::Function;

impl Region {
    pub(super) fn is_empty(&self) -> bool {
        self.length == Some(Word::ZERO)
    }

    pub(crate) fn may_overlap(&self, func: &Function, heap: Heap, other: &Region) -> bool {
        if self.is_empty() || other.is_empty() {
            return false;
        }
        if self.place.base == other.place.base {
            return !self.is_apart(other) || !other.is_apart(self);
        }
        let ends_before = |a: &Region, b: &Region| {
            a.length.is_some_and(|len| a.place.ends_before(func, heap, len, b.place))
        };
        !ends_before(self, other) && !ends_before(other, self)
    }

    /// True when `other`, which has the same base, begins behind the end of this region or, seen
    /// the other way round the ring of addresses, before it.
    fn is_apart(&self, other: &Region) -> bool {
        let ahead = other.place.offset.wrapping_sub(self.place.offset);
        self.length.is_some_and(|length| ahead >= length) || (self.length.is_none() && ahead > Word::MAX >> 1)
    }

    /// All that it can be without its base.
    pub(super) fn with_least(&self, func: &Function, heap: Heap) -> Option<Region> {
        let least = heap.least(func, self.place.base.expand()?)?;
        let is_ahead = self.place.offset <= Word::from(u64::MAX);
        let place = Place::at(self.place.offset.wrapping_add(Word::from(least)));
        is_ahead.then_some(Region { place, length: None })
    }

    /// What is left when `written`, which has the same base, was written before.
    pub(super) fn without(self, written: &Region) -> Option<Region> {
        let (Some(length), Some(n_written)) = (self.length, written.length) else {
            return Some(self);
        };
        let lead = self.place.offset.wrapping_sub(written.place.offset);
        if lead < n_written {
            let n_covered = n_written - lead;
            if n_covered >= length {
                return None;
            }
            let place = Place { offset: self.place.offset.wrapping_add(n_covered), ..self.place };
            return Some(Region { place, length: Some(length - n_covered) });
        }
        let kept = written.place.offset.wrapping_sub(self.place.offset);
        let covers_end = kept < length && length - kept <= n_written;
        Some(if covers_end { Region { length: Some(kept), ..self } } else { self })
    }

    /// True when all of `other` surely lies in this region, as far as one base tells.
    pub(super) fn contains(&self, other: &Region) -> bool {
        let (Some(length), Some(n_inner)) = (self.length, other.length) else {
            return false;
        };
        let lead = other.place.offset.wrapping_sub(self.place.offset);
        self.place.base == other.place.base && lead <= length && n_inner <= length - lead
    }
}
