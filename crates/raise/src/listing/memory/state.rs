//! What memory holds at a time.

use super::spot::Spot;
use crate::listing::say::Say;

/// A number of bytes that is not known.
pub(super) const OPEN: u64 = u64::MAX;

/// A store.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Known {
    pub(super) spot: Spot,
    /// [`OPEN`] when nobody knows.
    pub(super) bytes: u64,
    pub(super) holds: Holds,
    /// Its number; `None` for what is no line of its own.
    pub(super) id: Option<u32>,
    /// It was behind the free pointer when other code ran, or ways met.
    pub(super) is_behind: bool,
}

/// What was stored.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Holds {
    /// Bytes that are not known.
    Bytes,
    /// A value, from its first byte on.
    Value(Say),
    /// A word that was loaded from there, by its name.
    Loaded(Say),
    /// The copy with this number, whole.
    Copy(u32),
}

impl Holds {
    /// What is left of what is whole or nothing when a part of it is overwritten.
    pub(super) fn no_copy(&mut self) {
        if let Holds::Copy(_) | Holds::Loaded(_) = self {
            *self = Holds::Bytes;
        }
    }
}

impl Known {
    /// How many of its first bytes lie in a region, if that holds no others of it.
    pub(super) fn covered_by(&self, spot: Spot, bytes: u64) -> Option<u64> {
        let end = spot.at.checked_add(bytes)?;
        let is_first = self.spot.base == spot.base && spot.at <= self.spot.at;
        (is_first && end > self.spot.at).then(|| end - self.spot.at).filter(|covered| *covered < self.bytes)
    }
}

/// What memory holds.
#[derive(Clone, Debug, Default)]
pub(in crate::listing) struct State {
    /// What certainly was stored last.
    pub(super) known: Vec<Known>,
    /// What may have been stored.
    pub(super) maybe: Vec<Known>,
    /// What the free pointer is.
    pub(in crate::listing) free: Option<Spot>,
}
