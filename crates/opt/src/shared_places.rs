//! Locations of code that several places share: one that holds for all of them. Where they differ that is the one
//! that is around the other, or else the widest of the source unit, which is the contract's.

use cairn_ir::{DebugInfo, Loc};
use std::collections::BTreeMap;

/// The widest location of each source unit.
pub(crate) struct SharedPlaces<'a> {
    debug: &'a DebugInfo,
    widest: BTreeMap<i32, Loc>,
}

impl<'a> SharedPlaces<'a> {
    pub(crate) fn new(debug: &'a DebugInfo) -> SharedPlaces<'a> {
        let mut widest: BTreeMap<i32, Loc> = BTreeMap::new();
        for (id, loc) in debug.locs() {
            let known = widest.entry(loc.source).or_insert(id);
            let of_known = debug.loc(*known);
            if loc.end.saturating_sub(loc.start) > of_known.end.saturating_sub(of_known.start) {
                *known = id;
            }
        }
        SharedPlaces { debug, widest }
    }

    /// A location that holds for both places.
    pub(crate) fn common(&self, one: Option<Loc>, other: Option<Loc>) -> Option<Loc> {
        if one == other {
            return one;
        }
        let (first, second) = (self.debug.loc(one?), self.debug.loc(other?));
        if first.encloses(&second) {
            return one;
        }
        if second.encloses(&first) {
            return other;
        }
        let widest = *self.widest.get(&first.source)?;
        let around = self.debug.loc(widest);
        (around.encloses(&first) && around.encloses(&second)).then_some(widest)
    }
}
