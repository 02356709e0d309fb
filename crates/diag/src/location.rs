//! Byte ranges of source units, as debuggers are told them, and the one that code has which several places share.

use std::collections::BTreeMap;

/// A byte range of a source unit, as in solc's source maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceLoc {
    /// Index of the source unit; −1 for none.
    pub source: i32,
    /// First byte; −1 if unknown.
    pub start: i32,
    /// One past the last byte; −1 if unknown.
    pub end: i32,
}

impl SourceLoc {
    /// True if `other` is a part of this range.
    pub fn encloses(&self, other: &SourceLoc) -> bool {
        self.source == other.source && other.start >= 0 && self.start <= other.start && other.end <= self.end
    }

    fn width(&self) -> i32 {
        self.end.saturating_sub(self.start)
    }
}

/// Locations of code that several places share, by ids.
///
/// A debugger must not be sent to a wrong line: one copy of equal code keeps a location only if
/// that holds for all the places it stands for. Where they differ it gets the one that is around
/// the other, or else the widest of the source unit, which is the contract's.
pub struct SharedPlaces<I> {
    /// Of each source unit.
    widest: BTreeMap<i32, (I, SourceLoc)>,
}

impl<I: Copy + PartialEq> SharedPlaces<I> {
    /// For code with these locations. Linear.
    pub fn new(locs: impl IntoIterator<Item = (I, SourceLoc)>) -> SharedPlaces<I> {
        let mut widest: BTreeMap<i32, (I, SourceLoc)> = BTreeMap::new();
        for (id, loc) in locs {
            let known = widest.entry(loc.source).or_insert((id, loc));
            if loc.width() > known.1.width() {
                *known = (id, loc);
            }
        }
        SharedPlaces { widest }
    }

    /// A location that holds for both places; `at` gives the range of each.
    pub fn common(&self, one: Option<I>, other: Option<I>, at: impl Fn(I) -> Option<SourceLoc>) -> Option<I> {
        if one == other {
            return one;
        }
        let (first, second) = (at(one?)?, at(other?)?);
        if first.encloses(&second) {
            return one;
        }
        if second.encloses(&first) {
            return other;
        }
        let (widest, around) = self.widest.get(&first.source)?;
        (around.encloses(&first) && around.encloses(&second)).then_some(*widest)
    }
}
