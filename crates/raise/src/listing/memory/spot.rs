//! Places in memory: how far from what.

use crate::listing::say::Name;

/// Where Solidity keeps the first free byte of memory.
pub(in crate::listing) const FREE_POINTER: u64 = 0x40;

/// Bytes at the beginning that are Solidity's own.
pub(in crate::listing) const RESERVED: u64 = 0x80;

/// What places count from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::listing) enum Base {
    Zero,
    Free(u32),
    Name(Name),
    /// Behind a copy whose length is not known, by its number.
    End(u32, Rounding),
}

/// How far behind the last byte of a copy its end is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::listing) enum Rounding {
    /// Right behind it.
    Exact,
    /// Behind the word that it lies in, where words are counted from where the copy begins.
    Word,
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::listing) struct Spot {
    pub(in crate::listing) base: Base,
    pub(in crate::listing) at: u64,
}

/// Whose memory it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::listing) enum Layout {
    Solidity,
    Unknown,
}
