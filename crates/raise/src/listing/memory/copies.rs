//! Copies whose length is not known: what lies behind them is told by where they end, and a region that
//! contains them by what is copied.

use super::spot::{Base, Rounding, Spot};
use super::state::{Holds, Known, OPEN, State};
use super::sum::{Sum, Term};
use super::{Stores, without_first};
use crate::listing::say::{Piece, Say};

/// The last copies among which the one is that a sum is the end of.
const MAX_COPIES: usize = 8;

/// A copy.
#[derive(Clone, Debug)]
pub(in crate::listing) struct OpenCopy {
    pub(in crate::listing) spot: Spot,
    /// The address that it begins at.
    pub(in crate::listing) to: Sum,
    pub(in crate::listing) bytes: Sum,
    /// What is copied.
    pub(in crate::listing) value: Say,
}

impl Stores {
    /// Stores a copy.
    pub(in crate::listing) fn copy(&mut self, state: &mut State, copy: OpenCopy, id: u32) {
        let spot = copy.spot;
        self.forget(state, Some(spot), None);
        let holds = Holds::Copy(self.copies.len() as u32);
        self.copies.push(copy);
        self.add(state, Known { spot, bytes: OPEN, holds, id: Some(id), is_behind: false });
    }

    /// The place that a sum is behind a copy.
    pub(in crate::listing) fn end_of_copy(&self, sum: &Sum) -> Option<Spot> {
        let copies = self.copies.iter().enumerate().rev().take(MAX_COPIES);
        copies.into_iter().find_map(|(number, copy)| {
            let behind = sum.less(&copy.to)?;
            let (rounding, rest) = match behind.less(&copy.bytes).filter(Sum::is_number) {
                Some(rest) => (Rounding::Exact, rest),
                None => (Rounding::Word, behind.less(&Sum::of(Term::Rounded(copy.bytes.clone())))?),
            };
            let at = u64::try_from(rest.number).ok().filter(|_| rest.is_number())?;
            Some(Spot { base: Base::End(number as u32, rounding), at })
        })
    }

    /// The address that a place behind a copy is.
    pub(in crate::listing) fn sum_of_end(&self, spot: Spot) -> Option<Sum> {
        let Base::End(number, rounding) = spot.base else { return None };
        let copy = self.copies.get(number as usize)?;
        let bytes = match rounding {
            Rounding::Exact => copy.bytes.clone(),
            Rounding::Word => Sum::of(Term::Rounded(copy.bytes.clone())),
        };
        Some(copy.to.clone().plus(bytes).plus(Sum::number(spot.at)))
    }

    /// The place that the first copy in a row of copies begins behind: what is behind them lies no lower.
    pub(super) fn root(&self, mut spot: Spot) -> Spot {
        while let Some(copy) = self.before(spot) {
            spot = copy;
        }
        spot
    }

    /// True when a place is behind the end of a copy that comes after a region, or is that region.
    pub(super) fn is_past(&self, mut spot: Spot, region: Spot, bytes: u64) -> bool {
        while let Some(copy) = self.before(spot) {
            let ends_before = bytes != OPEN && region.at.saturating_add(bytes) <= copy.at;
            if region.base == copy.base && (ends_before || region.at == copy.at) {
                return true;
            }
            spot = copy;
        }
        false
    }

    /// Where the copy begins that a place is counted from the end of.
    fn before(&self, spot: Spot) -> Option<Spot> {
        match spot.base {
            Base::End(number, _) => self.copies.get(number as usize).map(|copy| copy.spot),
            Base::Zero | Base::Free(_) | Base::Name(_) => None,
        }
    }

    /// The values that certainly lie from one place to another, without gaps.
    pub(in crate::listing) fn read(&self, state: &State, from: Spot, end: Spot) -> Option<Vec<Piece>> {
        let mut pieces = Vec::new();
        let mut at = from;
        while at != end {
            let is_end_here = at.base == end.base;
            if is_end_here && at.at > end.at {
                return None;
            }
            let holds = |known: &&Known| {
                known.spot.base == at.base
                    && (known.spot.at..known.spot.at.saturating_add(known.bytes)).contains(&at.at)
            };
            let known = state.known.iter().find(holds)?;
            at = match &known.holds {
                Holds::Bytes => return None,
                // Nobody knows the bytes of a part of it.
                Holds::Loaded(_) if known.spot != at || (is_end_here && end.at < at.at + known.bytes) => {
                    return None;
                }
                Holds::Loaded(value) => {
                    pieces.push(Piece { bytes: known.bytes, value: value.clone() });
                    Spot { at: known.spot.at + known.bytes, ..at }
                }
                Holds::Value(value) => {
                    let last = known.spot.at + known.bytes;
                    let last = if is_end_here { last.min(end.at) } else { last };
                    let value = without_first(value.clone(), at.at - known.spot.at)?;
                    pieces.push(Piece { bytes: last - at.at, value });
                    Spot { at: last, ..at }
                }
                Holds::Copy(number) => {
                    let copy = self.copies.get(*number as usize).filter(|copy| copy.spot == at)?;
                    pieces.push(Piece { bytes: Piece::OPEN, value: copy.value.clone() });
                    self.behind(*number, end)?
                }
            };
        }
        Some(pieces)
    }

    /// The place behind a copy that the way to another place goes through.
    fn behind(&self, number: u32, mut end: Spot) -> Option<Spot> {
        loop {
            if let Base::End(own, _) = end.base
                && own == number
            {
                return Some(Spot { at: 0, ..end });
            }
            end = self.before(end)?;
        }
    }
}
